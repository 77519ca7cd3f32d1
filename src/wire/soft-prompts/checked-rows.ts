import { createHash } from 'node:crypto'
import { InletError, quoted, shownShape } from '../../errors.js'
import { widened } from '../../first-layer/embeddings/widened.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { type FloatDtype, ITEM_BYTES } from '../../first-layer/tensors/named-tensor.js'
import { type FoundRows, ROWS } from './found-rows.js'

/** Rows of a soft prompt in memory that threads share. */
export interface CheckedRows {
  /** n */
  readonly rows: number
  readonly dtype: FloatDtype
  /** [n, C] */
  readonly numbers: SharedArrayBuffer
  /** Of type, shape and numbers, in hex. */
  readonly sha256: string
}

/** Bytes that are looked at between two looks at the clock. */
const PART_BYTES = 1 << 18
/** Bits of the exponent, which are all set in what is not finite. */
const EXPONENT: Readonly<Record<FloatDtype, number>> = {
  ...{ float32: 0x7f800000, float16: 0x7c00, bfloat16: 0x7f80 },
}

/**
 * Checks an array against a model, and copies it.
 *
 * @param embeddingDim the model's C
 * @throws InletError `shape_mismatch` with both shapes, `unsupported_combination` for the shape of prefix tuning,
 * `not_finite` with the place
 */
export function* checkedRows(
  { dtype, shape, bytes }: FoundRows,
  embeddingDim: number,
  mostRows: number,
): Steps<CheckedRows> {
  checkShape(shape, embeddingDim, mostRows)
  yield bytes.length
  const numbers = new SharedArrayBuffer(bytes.length)
  const copy = new Uint8Array(numbers)
  const words = wordsOf(numbers, dtype)
  const hash = createHash('sha256').update(`${dtype} ${shape.join(' ')} `)
  const partWords = PART_BYTES / ITEM_BYTES[dtype]
  for (let first = 0; first < words.length; first += partWords) {
    yield PAUSE
    const from = first * ITEM_BYTES[dtype]
    const part = bytes.subarray(from, from + PART_BYTES)
    copy.set(part, from)
    hash.update(part)
    const last = Math.min(first + partWords, words.length)
    const found = firstNotFinite(words, first, last, EXPONENT[dtype])
    if (found < last) throw notFinite(words.subarray(found, found + 1), dtype, found, embeddingDim)
  }
  yield -bytes.length // it is the prompt's now
  return { rows: shape[0], dtype, numbers, sha256: hash.digest('hex') }
}

function checkShape(shape: readonly number[], embeddingDim: number, mostRows: number): void {
  const [rows, width] = shape
  const isPrefix = shape.length > 2 || (width > 2 * embeddingDim && width % (2 * embeddingDim) === 0)
  const rule = `${quoted(ROWS)} must be [n, ${embeddingDim}], n from 1 to ${mostRows}`
  const given = `Given: ${shownShape(shape)}`
  if (isPrefix) {
    const message = `${rule}: keys and values of each layer (prefix tuning, past_key_values) are not served. ${given}`
    throw new InletError('unsupported_combination', message, ROWS)
  }
  if (shape.length === 2 && width === embeddingDim && rows >= 1 && rows <= mostRows) return
  throw new InletError(
    'shape_mismatch',
    `${rule}: the model’s rows have ${embeddingDim} numbers. ${given}`,
    ROWS,
  )
}

type Words = Uint32Array<SharedArrayBuffer> | Uint16Array<SharedArrayBuffer>

function wordsOf(numbers: SharedArrayBuffer, dtype: FloatDtype): Words {
  return dtype === 'float32' ? new Uint32Array(numbers) : new Uint16Array(numbers)
}

/** The first word from `first` on that is NaN or infinite; `last` where none is. */
function firstNotFinite(words: Words, first: number, last: number, exponent: number): number {
  for (let i = first; i < last; i++) if ((words[i] & exponent) === exponent) return i
  return last
}

function notFinite(word: Words, dtype: FloatDtype, at: number, embeddingDim: number): InletError {
  const path = `${ROWS}.${Math.floor(at / embeddingDim)}.${at % embeddingDim}`
  const copy = word.slice()
  const stored = copy instanceof Uint32Array ? new Float32Array(copy.buffer) : copy
  const message = `${quoted(path)} must be finite. Given: ${widened(stored, dtype)[0]}`
  return new InletError('not_finite', message, path)
}
