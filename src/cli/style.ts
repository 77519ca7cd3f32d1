/** Colours of a stream: as the environment says (`NO_COLOR`, `FORCE_COLOR`), else where it is a terminal. */
export function styleFor({ isTTY }: { readonly isTTY?: boolean }, env = process.env) {
  const inColour = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isTTY === true && !env.NO_COLOR
  const paint = (on: number, off: number) => (text: string) =>
    inColour ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return { bold: paint(1, 22), dim: paint(2, 22), bad: paint(31, 39) }
}
