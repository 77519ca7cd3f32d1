import type { VectorDtype, VectorNumbers } from '../../first-layer/pooling/quantized.js'
import type { Blocks, Steps } from '../../first-layer/steps.js'
import { base64Length, writeBase64 } from '../../service/answer/base64.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { numberText } from '../../service/answer/number-text.js'

/** Bytes that `size` counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14
const BYTE_BYTES = 5
/** Numbers written at a time: whole groups of three bytes. */
const PART = 3 << 10
/** Bytes of text beyond which it is sent. */
const BLOCK_BYTES = 1 << 16

/** Shorter texts are joined with their neighbours. */
const SHORT = 1 << 14

const COMMA = 0x2c

/** How an embedding's numbers are sent: as an array, or as one string of their bytes in base64, little-endian. */
export interface VectorForm {
  readonly dtype: VectorDtype
  readonly isBase64: boolean
}

/** Embeddings in an answer, one after the other. Each is made as it is sent. */
export interface VectorList extends VectorForm {
  readonly count: number
  /** Numbers of each as it is stored. */
  readonly length: number
  /** ASCII before embedding i, the comma behind the last one included. */
  before(i: number): string
  /** ASCII after each. */
  readonly after: string
  /** Embedding i, good until the next one is asked for. */
  vector(i: number): Steps<VectorNumbers>
}

/** An answer of JSON: texts and lists of embeddings in turn. */
export function vectorsJson(parts: readonly (string | VectorList)[]): EncodedAnswer {
  return {
    size: parts.reduce(
      (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : vectorsBytes(part)),
      0,
    ),
    exact: parts.every((part) => typeof part === 'string' || part.isBase64),
    headers: {},
    body: body(parts),
  }
}

/** Bytes of a list; of numbers an estimate. */
export function vectorsBytes(list: Omit<VectorList, 'vector'>): number {
  let bytes = list.count * (numbersBytes(list) + 2 + list.after.length)
  for (let i = 0; i < list.count; i++) bytes += list.before(i).length
  return bytes
}

function numbersBytes({ dtype, isBase64, length }: Omit<VectorList, 'vector'>): number {
  const itemBytes = dtype === 'float' ? 4 : 1
  if (isBase64) return base64Length(itemBytes * length)
  return (dtype === 'float' ? FLOAT_BYTES : BYTE_BYTES) * length
}

function* body(parts: readonly (string | VectorList)[]): Blocks {
  const numbers = numberText()
  const bytes = numbers.take(1)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0 // the end of the unsent text
  try {
    for (const part of parts) {
      if (typeof part !== 'string') at = yield* listBlocks(part, text, at)
      else if (part.length < SHORT) at += text.write(part, at)
      else {
        yield text.subarray(0, at)
        at = 0
        yield Buffer.from(part)
      }
    }
    yield text.subarray(0, at)
  } finally {
    numbers.give(bytes)
  }
}

/**
 * Puts a list's text together in `text`, behind the first `at` bytes, and gives it when it is a block long.
 *
 * @returns bytes that are not given yet
 */
function* listBlocks(list: VectorList, text: Buffer, at: number): Blocks<number> {
  const [open, close] = list.isBase64 ? ['"', '"'] : ['[', ']']
  let end = at
  for (let i = 0; i < list.count; i++) {
    const row = yield* list.vector(i)
    end += text.write(list.before(i) + open, end, 'latin1')
    for (let from = 0; from < row.length; from += PART) {
      if (from > 0 && !list.isBase64) text[end++] = COMMA
      end = writePart(text, end, row.subarray(from, from + PART), list.isBase64)
      if (end < BLOCK_BYTES) continue
      yield text.subarray(0, end)
      end = 0
    }
    end += text.write(close + list.after, end, 'latin1')
  }
  return end
}

/** Writes numbers to `text` from `at` on; returns where they end. */
function writePart(text: Buffer, at: number, part: VectorNumbers, isBase64: boolean): number {
  const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
  if (isBase64) return writeBase64(text, at, bytes)
  if (!(part instanceof Float32Array)) return at + text.write(part.join(), at, 'latin1')
  return numberText().write(text, at, bytes, 'float32', part.length)
}
