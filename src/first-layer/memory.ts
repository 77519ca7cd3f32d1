/** Zeroed memory that threads can share. */
export const sharedFloat64Array = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length))

export const sharedFloat32Array = (length: number) => new Float32Array(new SharedArrayBuffer(4 * length))

export const sharedInt32Array = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length))
