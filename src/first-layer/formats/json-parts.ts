import { type Blocks, chained } from '../tensors/blocks.js'

/** A long part of a JSON answer, made as it is sent. It stands in the answer's value where its text comes. */
export interface Part {
  /** Bytes of the text, or what the answer's size counts for them. */
  readonly bytes: number
  text(): Blocks
}

export function part(bytes: number, text: () => Blocks): Part {
  return { bytes, text, toJSON: stands } as Part
}

function stands(this: Part): object {
  met.push(this)
  return PLACE
}

/** Stands in the JSON for a part. No other text is like it: a string of JSON has its quotes escaped. */
const PLACE = { '': 0 }
/** The parts that `JSON.stringify` has met, in their order. */
let met: Part[] = []

/**
 * A value with long parts as an encoded answer: `{ model: 'm', data: listOf(…) }` → `{"model":"m","data":[…]}`.
 *
 * @param exact whether the bytes of all parts are exact
 */
export function jsonAnswer(value: unknown, exact = false) {
  met = []
  const json = JSON.stringify(value)
  const texts = json.split('{"":0}')
  let size = Buffer.byteLength(json) - met.length * '{"":0}'.length
  const blocks: Blocks[] = [[Buffer.from(texts[0])]]
  for (const [i, { bytes, text }] of met.entries()) {
    size += bytes
    blocks.push(text(), [Buffer.from(texts[i + 1])])
  }
  return { size, exact, body: chained(blocks) }
}

/** A list, of slices of its elements, or of their JSON; none is empty. */
export function listOf(slices: Iterable<readonly unknown[] | string>, bytes = 0): Part {
  return part(bytes, function* () {
    let separator = '['
    for (const slice of slices) {
      yield Buffer.from(separator + (typeof slice === 'string' ? slice : JSON.stringify(slice).slice(1, -1)))
      separator = ','
    }
    yield Buffer.from(separator === ',' ? ']' : '[]')
  })
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
