import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Reads `test/goldens/NAME`. */
export function readGolden<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../goldens/${name}`, import.meta.url), 'utf8')) as T
}

/** sha256 of an array's little-endian bytes, in hex. */
export function sha256(values: Float32Array | Int32Array): string {
  return createHash('sha256')
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest('hex')
}

/** The bits of float32 values: unlike `===` they tell −0 from 0 and compare NaN. */
export function bits(values: ArrayLike<number>): number[] {
  return [...new Uint32Array(Float32Array.from(values).buffer)]
}
