import { type Blocks, PAUSE } from '../../first-layer/steps.js'

/** A long part of a JSON answer, made as it is sent: writes `before`, then its own text. */
export type Part = (before: string) => Blocks

/** Stands in a value where a part comes. No other text is like it: a string of JSON has its quotes escaped. */
export const PART = { '': 0 }

/** The text of a value around its parts: `{ model: 'm', data: PART }` → `{"model":"m","data":` and `}`. */
export function textsAround(value: unknown): string[] {
  return JSON.stringify(value).split('{"":0}')
}

/** Bytes of the texts around parts. */
export function bytesAround(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/** The texts, and a part between each two of them. */
export function* withParts(texts: readonly string[], parts: readonly Part[]): Blocks {
  for (const [i, part] of parts.entries()) yield* part(texts[i])
  yield Buffer.from(texts[parts.length])
}

/** A list, of slices of its elements, or of their JSON; none is empty. */
export function listOf(slices: Iterable<readonly unknown[] | string>): Part {
  return function* (before) {
    let separator = `${before}[`
    for (const slice of slices) {
      yield Buffer.from(separator + (typeof slice === 'string' ? slice : JSON.stringify(slice).slice(1, -1)))
      yield PAUSE
      separator = ','
    }
    yield Buffer.from(separator === ',' ? ']' : `${separator}]`)
  }
}

/** Elements 0 … count − 1 in slices: a tenth of a millisecond or two of work each. */
export function* sliced(
  count: number,
  element: (i: number) => unknown,
  most = 256,
): Generator<readonly unknown[], void, void> {
  for (let from = 0; from < count; from += most)
    yield Array.from({ length: Math.min(most, count - from) }, (_, i) => element(from + i))
}

/** The JSON of numbers in slices. */
export function* numberSlices(blocks: Iterable<Int32Array>): Generator<string, void, void> {
  for (const block of blocks)
    for (let at = 0; at < block.length; at += 4096) yield block.subarray(at, at + 4096).join()
}

/** Small blocks as larger ones of 64 KiB or more, since each block is a write. */
export function* joined(blocks: Blocks): Blocks {
  let parts: Buffer[] = []
  let bytes = 0
  for (const block of blocks) {
    if (!(block instanceof Uint8Array) || (bytes === 0 && block.length >= JOINED_BYTES)) {
      yield block
      continue
    }
    bytes += block.length
    parts.push(Buffer.from(block)) // a copy: the block is used again
    if (bytes < JOINED_BYTES) continue
    yield Buffer.concat(parts, bytes)
    parts = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(parts, bytes)
}

const JOINED_BYTES = 1 << 16
