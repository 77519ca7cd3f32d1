import { BufferPool } from '../memory.js'
import { type Blocks, type BlockWriter, chained, written } from '../tensors/blocks.js'

/** A long part of a JSON answer, made as it is sent. It stands in the answer's value where its text comes. */
export class Part {
  /** @param bytes of the text, or what the answer's size counts for them */
  constructor(
    readonly bytes: number,
    readonly text: () => Blocks,
  ) {}

  toJSON() {
    met.push(this)
    return PLACE
  }
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
  const [parts, texts] = [met, json.split('{"":0}')]
  let size = Buffer.byteLength(json) - parts.length * '{"":0}'.length
  for (const { bytes } of parts) size += bytes
  return { size, exact, body: written(inTurn(texts, parts), joining) }
}

function inTurn(texts: readonly string[], parts: readonly Part[]): Blocks {
  const blocks = parts.flatMap((part, i) => [[Buffer.from(texts[i])], part.text()])
  return chained([...blocks, [Buffer.from(texts[parts.length])]])
}

/** A list, of slices of its elements, or of their JSON; none is empty. */
export function listOf(slices: Iterable<readonly unknown[] | string>, bytes = 0): Part {
  return new Part(bytes, function* () {
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

/** Small blocks as larger ones of 64 KiB or more, since each block is a write. */
function joining(): BlockWriter {
  const room = rooms.take()
  let bytes = 0
  const joined = () => {
    const all = room.subarray(0, bytes)
    bytes = 0
    return all
  }
  return {
    *each(block) {
      const isLarge = block.length >= JOINED_BYTES
      if (bytes >= JOINED_BYTES || (isLarge && bytes > 0)) yield joined()
      if (isLarge) yield block
      else {
        room.set(block, bytes)
        bytes += block.length
      }
    },
    end: joined,
    release: () => rooms.give(room),
  }
}

const JOINED_BYTES = 1 << 16
const rooms = new BufferPool(2 * JOINED_BYTES, 16)
