import type { Encoding } from './encoding.js'

/** A token in its text: `start` and `end` are byte offsets into the UTF-8 of all tokens together. */
export interface TokenSpan {
  readonly id: number
  readonly bytes: Uint8Array
  /** The bytes as text, null where they are not whole characters. */
  readonly text: string | null
  readonly start: number
  readonly end: number
}

/** The ids, in whatever holds them: an array or a TokenBuffer. */
export interface Ids extends Iterable<number> {
  readonly length: number
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Thrown for an id that has no bytes: out of range, or in a hole of the vocabulary. */
export class UnknownTokenError extends RangeError {
  constructor(
    readonly id: number,
    /** Where in the ids. */
    readonly index: number,
    encoding: Encoding,
  ) {
    super(
      `id ${id} at index ${index} is no token of ${encoding.name}, which has ids below ${encoding.vocabSize}`,
    )
  }
}

/**
 * The text of ids: [15496, 11, 995, 0] in `gpt2` → `{ text: 'Hello, world!', lossy: false }`. Bytes that
 * are not UTF-8 become U+FFFD and make it lossy.
 *
 * @throws UnknownTokenError
 */
export function detokenize(encoding: Encoding, ids: Ids): { text: string; lossy: boolean } {
  const bytes: Uint8Array[] = []
  for (const id of ids) bytes.push(bytesOf(encoding, id, bytes.length))
  const utf8 = Buffer.concat(bytes)
  const text = textOf(utf8)
  return text === null ? { text: lenient.decode(utf8), lossy: true } : { text, lossy: false }
}

/**
 * Each id with its bytes and its place: [15496, 11] in `gpt2` →
 * `{ id: 15496, text: 'Hello', start: 0, end: 5, … }`, `{ id: 11, text: ',', start: 5, end: 6, … }`.
 *
 * @throws UnknownTokenError
 */
export function* tokenSpans(encoding: Encoding, ids: Ids): IterableIterator<TokenSpan> {
  let start = 0
  let index = 0
  for (const id of ids) {
    const bytes = bytesOf(encoding, id, index++)
    const end = start + bytes.length
    yield { id, bytes, text: textOf(bytes), start, end }
    start = end
  }
}

function bytesOf(encoding: Encoding, id: number, index: number): Uint8Array {
  const bytes = encoding.tokenBytes(id)
  if (!bytes) throw new UnknownTokenError(id, index, encoding)
  return bytes
}

function textOf(utf8: Uint8Array): string | null {
  try {
    return strict.decode(utf8)
  } catch {
    return null
  }
}
