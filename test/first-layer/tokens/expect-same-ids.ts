import { expect } from 'vitest'
import { ENCODING_NAMES } from '../../../src/first-layer/tokens/encodings.js'
import type { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'

/** The encodings that differ: `r50k_base` has the pattern and the vocabulary of `gpt2`, as the goldens show. */
export const DIFFERENT = ENCODING_NAMES.filter((name) => name !== 'r50k_base')

/** Compares bytes, which is quick, and tells the text and the first place only where they differ. */
export function expectSameIds(actual: TokenBuffer, expected: TokenBuffer | Uint32Array, text: string): void {
  const a = actual.toInt32Array()
  const e = expected instanceof Uint32Array ? expected : expected.toInt32Array()
  if (Buffer.from(a.buffer).equals(Buffer.from(e.buffer, e.byteOffset, e.byteLength))) return
  const at = a.findIndex((id, i) => id !== e[i])
  const from = Math.max(0, at < 0 ? e.length - 3 : at - 3)
  expect(
    { length: a.length, at, ids: [...a.subarray(from, from + 12)] },
    `${text.length} units: ${JSON.stringify(text.slice(0, 300))}`,
  ).toEqual({ length: e.length, at: -1, ids: [...e.subarray(from, from + 12)] })
}
