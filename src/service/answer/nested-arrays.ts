import type { Blocks } from '../../first-layer/steps.js'
import { elementCount, ITEM_BYTES, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { numberText, SLICE } from './number-text.js'

const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d

/** `before`, then a tensor as nested JSON arrays, one level an axis: int32 [2, 2] → `[[1,2],[3,4]]`, [0, 2] → `[]`. */
export function* nestedArrayText(tensor: NamedTensor, before: string): Blocks {
  yield Buffer.from(before)
  const { dtype, shape } = tensor
  if (elementCount(shape) === 0) {
    yield Buffer.from('[]') // it has no rows
    return
  }
  const itemBytes = ITEM_BYTES[dtype]
  const brackets = new Brackets(shape)
  const numbers = numberText()
  const text = numbers.take(shape.length)
  let index = 0
  try {
    for (const block of tensor.blocks()) {
      if (!(block instanceof Uint8Array)) {
        yield block
        continue
      }
      for (let from = 0; from < block.byteLength; ) {
        const sliceEnd = Math.min(from + SLICE * itemBytes, block.byteLength)
        let at = 0
        while (from < sliceEnd) {
          const { run, length } = brackets.run(index, (sliceEnd - from) / itemBytes)
          at = brackets.before(text, at, index)
          at = numbers.write(text, at, block.subarray(from, from + run * itemBytes), dtype, length)
          from += run * itemBytes
          index += run
          at = brackets.after(text, at, index)
        }
        yield text.subarray(0, at)
      }
    }
  } finally {
    numbers.give(text)
  }
}

/** Where the brackets and the commas between rows stand, for elements counted in row-major order. */
class Brackets {
  /** Elements of one sub-array of each axis, innermost first: [8, 4, 256] → 256, 1024, 8192. */
  private readonly spans: readonly number[]

  constructor(shape: readonly number[]) {
    let span = 1
    this.spans = shape.toReversed().map((axis) => {
      span *= axis
      return span
    })
  }

  /**
   * How many of the next `available` elements need no brackets other than `],[` between them, and the length of
   * their rows: either whole rows of one sub-array, or a part of one row.
   */
  run(index: number, available: number): { run: number; length: number } {
    const [row, group = row] = this.spans
    if (index % row !== 0 || available < row) {
      const run = Math.min(row - (index % row), available)
      return { run, length: run }
    }
    const rows = Math.floor(Math.min(group - (index % group), available) / row)
    return { run: rows * row, length: row }
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
