/** Name → base64: the kernels, and the tables of Unicode. The build fills it. */
export const FILES: Readonly<Record<string, string>> = {}
