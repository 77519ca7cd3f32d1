import {
  instantiateTextKernels,
  MAX_FLOAT_TEXT_BYTES,
  MAX_INT32_TEXT_BYTES,
  type TextKernels,
} from '../../first-layer/kernels/text-kernels.js'
import type { Blocks } from '../../first-layer/steps.js'
import {
  type Dtype,
  elementCount,
  ITEM_BYTES,
  type NamedTensor,
} from '../../first-layer/tensors/named-tensor.js'

/** Numbers turned to text at a time: half a millisecond of work. */
export const SLICE = 1 << 14

/** Most bytes of one number with its comma, or with the brackets of a row. */
const MAX_NUMBER_BYTES = Math.max(MAX_FLOAT_TEXT_BYTES, MAX_INT32_TEXT_BYTES) + 2

/** Axes of a tensor for whose brackets a pooled text buffer has room; no tensor has more. */
const USUAL_AXES = 4
/** Text buffers kept for streams; more streams at once than that make their own. */
const POOLED_TEXTS = 16

/** Bytes that a slice's text, with all its brackets, can take. */
function textBytes(axes: number): number {
  return SLICE * (MAX_NUMBER_BYTES + 2 * axes)
}

/**
 * Elements of tensors as JSON numbers: the shortest decimals that read back as the same float32, the integers
 * as they are. It copies blocks, from anywhere, into its small memory. The text buffers of most streams
 * lie in that memory too, so that their text is written in place.
 */
class NumberText {
  readonly #kernels: TextKernels
  readonly #input: Uint8Array
  readonly #wide: Uint8Array
  readonly #scratch: Uint8Array
  readonly #free: Uint8Array[]

  constructor() {
    this.#kernels = instantiateTextKernels()
    const sizes = [SLICE * 4, SLICE * 4, SLICE * MAX_NUMBER_BYTES]
    for (let i = 0; i < POOLED_TEXTS; i++) sizes.push(textBytes(USUAL_AXES))
    const pointers = sizes.map((bytes) => this.#kernels.reserve(bytes))
    const { buffer } = this.#kernels.memory // read after the last `reserve`, which replaces it
    const [input, wide, scratch, ...texts] = sizes.map(
      (bytes, i) => new Uint8Array(buffer, pointers[i], bytes),
    )
    this.#input = input
    this.#wide = wide
    this.#scratch = scratch
    this.#free = texts
  }

  /** A buffer for one stream's text, slice by slice; {@link give} it back when the stream ends. */
  take(axes: number): Uint8Array {
    const pooled = axes <= USUAL_AXES ? this.#free.pop() : undefined
    return pooled ?? Buffer.allocUnsafeSlow(textBytes(axes))
  }

  give(text: Uint8Array): void {
    if (this.#holds(text)) this.#free.push(text)
  }

  /**
   * Writes the elements of `bytes`, at most {@link SLICE}, of type `dtype`, to `text` from `at` on: rows of
   * `length`, `1,2],[3,4`.
   * @returns where the text ends
   */
  write(text: Uint8Array, at: number, bytes: Uint8Array, dtype: Dtype, length: number): number {
    if (dtype === 'int64') return this.write(text, at, lowWords(bytes), 'int32', length)
    this.#input.set(bytes)
    const count = bytes.byteLength / ITEM_BYTES[dtype]
    if (this.#holds(text)) return at + this.#writeTo(text.byteOffset + at, count, dtype, length)
    const written = this.#writeTo(this.#scratch.byteOffset, count, dtype, length)
    text.set(this.#scratch.subarray(0, written), at)
    return at + written
  }

  /** Writes the numbers in the input buffer as text at the pointer `out`; returns the bytes written. */
  #writeTo(out: number, count: number, dtype: Dtype, length: number): number {
    const { int32RowsToText, floatRowsToText, widenFloat16, widenBfloat16 } = this.#kernels
    const [input, wide] = [this.#input.byteOffset, this.#wide.byteOffset]
    const rows = count / length
    if (dtype === 'int32') return int32RowsToText(out, input, rows, length)
    if (dtype === 'float32') return floatRowsToText(out, input, rows, length)
    const widen = dtype === 'float16' ? widenFloat16 : widenBfloat16
    widen(wide, input, count)
    return floatRowsToText(out, wide, rows, length)
  }

  #holds(text: Uint8Array): boolean {
    return text.buffer === this.#input.buffer
  }
}

/** The int32 that int64 elements hold, which all of the service's do. */
function lowWords(bytes: Uint8Array): Uint8Array {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  return new Uint8Array(Int32Array.from({ length: words.length / 2 }, (_, i) => words[2 * i]).buffer)
}

let shared: NumberText | undefined

/** The thread's writer. Calls never overlap, so that all streams can share it. */
export function numberText(): NumberText {
  shared ??= new NumberText()
  return shared
}

/** Buffers of one size, used again: new ones for each answer would burden the garbage collector. */
export class BlockPool {
  readonly #free: Buffer[] = []

  /** @param most buffers that are kept; beyond these, `take` makes new ones */
  constructor(
    private readonly bytes: number,
    private readonly most: number,
  ) {}

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  give(block: Buffer): void {
    if (this.#free.length < this.most) this.#free.push(block)
  }
}

const JOINED_BYTES = 1 << 16
const joinedPool = new BlockPool(JOINED_BYTES, 16)

/** The same bytes with few small blocks: those that fit are gathered in one of 64 KiB, since each block is a write. */
export function* joinedBlocks(blocks: Blocks): Blocks {
  const joined = joinedPool.take()
  let bytes = 0
  try {
    for (const block of blocks) {
      if (!(block instanceof Uint8Array)) {
        yield block
        continue
      }
      if (bytes > 0 && bytes + block.length > JOINED_BYTES) {
        yield joined.subarray(0, bytes)
        bytes = 0
      }
      if (block.length > JOINED_BYTES) yield block
      else {
        joined.set(block, bytes)
        bytes += block.length
      }
    }
    if (bytes > 0) yield joined.subarray(0, bytes)
  } finally {
    joinedPool.give(joined)
  }
}

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

/** Positions of brackets and commas between rows, for elements counted in row-major order. */
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
