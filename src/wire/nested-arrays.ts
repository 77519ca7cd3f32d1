import { widenBfloat16, widenFloat16 } from '../half.js'
import type { Dtype, NamedTensor } from '../named-tensor.js'
import { writeFloats, writeInts } from './decimals.js'

/** Longest text of one number with its comma and what brackets it can need. */
const NUMBER_BYTES = 24
/** Numbers turned to text between two yields: about a millisecond of work. */
const SLICE = 1 << 14

const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d

type Numbers = Float32Array | Int32Array

/** A block's bytes as the numbers that JSON shows: float16 and bfloat16 as the float32 values that they are. */
const READ: Readonly<Record<Dtype, (block: Uint8Array) => Numbers>> = {
  int32: (block) => new Int32Array(block.buffer, block.byteOffset, block.byteLength / 4),
  float32: (block) => new Float32Array(block.buffer, block.byteOffset, block.byteLength / 4),
  float16: (block) => widenFloat16(new Uint16Array(block.buffer, block.byteOffset, block.byteLength / 2)),
  bfloat16: (block) => widenBfloat16(new Uint16Array(block.buffer, block.byteOffset, block.byteLength / 2)),
}

/** A tensor as nested JSON arrays, one level an axis: int32 [2, 2] → `[[1,2],[3,4]]`. */
export async function* nestedArrayText(tensor: NamedTensor): AsyncGenerator<Uint8Array, void, void> {
  const write = tensor.dtype === 'int32' ? writeInts : writeFloats
  const text = Buffer.allocUnsafe(SLICE * NUMBER_BYTES)
  const brackets = new Brackets(tensor.shape)
  let index = 0
  for await (const block of tensor.blocks()) {
    const numbers = READ[tensor.dtype](block)
    for (let from = 0; from < numbers.length; ) {
      const slice = Math.min(from + SLICE, numbers.length)
      let at = 0
      while (from < slice) {
        const run = Math.min(brackets.leftInRow(index), slice - from)
        at = brackets.before(text, at, index)
        at = write(text, at, numbers as never, from, from + run)
        from += run
        index += run
        at = brackets.after(text, at, index)
      }
      yield text.subarray(0, at)
    }
  }
}

/** Where the brackets and commas between rows stand, for elements counted in row-major order. */
class Brackets {
  /** Elements of one sub-array of each axis: [8, 4, 256] → 256, 1024, 8192. */
  private readonly spans: readonly number[]

  constructor(shape: readonly number[]) {
    let span = 1
    this.spans = shape.toReversed().map((axis) => (span *= axis))
  }

  leftInRow(index: number): number {
    const row = this.spans[0]
    return row - (index % row)
  }

  before(text: Uint8Array, at: number, index: number): number {
    if (index > 0) text[at++] = COMMA
    for (const span of this.spans) {
      if (index % span !== 0) break
      text[at++] = OPEN
    }
    return at
  }

  after(text: Uint8Array, at: number, index: number): number {
    for (const span of this.spans) {
      if (index % span !== 0) break
      text[at++] = CLOSE
    }
    return at
  }
}
