import { isUtf8 } from './unicode/is-utf8.js'

/** The bytes of all tokens: token `id` is `bytes[offsets[id] … offsets[id + 1]]`, empty where ids have a hole. */
export interface Vocabulary {
  /** Highest id + 1, special tokens included. */
  readonly size: number
  /** The bytes of all tokens, one after the other. A special token's bytes are those of its literal. */
  readonly bytes: Uint8Array
  /** The start of each token in `bytes`, and one more element: the end of the last. */
  readonly offsets: Uint32Array
  /** Literal → id. */
  readonly specialTokens: ReadonlyMap<string, number>
}

/** The bytes of a token, a special token's literal included; undefined for a hole or an id out of range. */
export function bytesOfToken({ bytes, offsets }: Vocabulary, id: number): Uint8Array | undefined {
  return offsets[id] < offsets[id + 1] ? bytes.subarray(offsets[id], offsets[id + 1]) : undefined
}

/** The characters of a token; null if its bytes are not whole UTF-8, undefined for a hole or an id out of range. */
export function textOfToken(vocabulary: Vocabulary, id: number): string | null | undefined {
  const bytes = bytesOfToken(vocabulary, id)
  if (bytes === undefined) return undefined
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : null
}

/** The vocabulary of ordinary tokens, in `bytes` and `offsets`, and of special tokens, whose ids are holes there. */
export function vocabularyOf(
  bytes: Uint8Array,
  offsets: Uint32Array,
  specialTokens: ReadonlyMap<string, number>,
): Vocabulary {
  const literals = [...specialTokens]
    .map(([literal, id]) => ({ id, utf8: Buffer.from(literal) }))
    .sort((a, b) => a.id - b.id)
  const last = offsets.length - 1
  const size = Math.max(last, ...literals.map(({ id }) => id + 1))
  const all = new Uint8Array(literals.reduce((sum, { utf8 }) => sum + utf8.length, offsets[last]))
  const starts = new Uint32Array(size + 1)
  let id = 0
  let at = 0
  /** Copies the ordinary tokens up to id `next`. */
  const goOnTo = (next: number) => {
    const from = offsets[Math.min(id, last)]
    const shift = at - from
    for (; id < next; id++) starts[id] = offsets[Math.min(id, last)] + shift
    const until = offsets[Math.min(next, last)]
    all.set(bytes.subarray(from, until), at)
    at = until + shift
  }
  for (const { id: special, utf8 } of literals) {
    goOnTo(special)
    starts[id++] = at
    all.set(utf8, at)
    at += utf8.length
  }
  goOnTo(size)
  starts[size] = at
  return { size, bytes: all, offsets: starts, specialTokens }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The strings of all tokens in shared memory, so that threads use one copy. Token `id` is `bytes[offsets[id] … offsets[id + 1]]`. */
export interface TokenStrings {
  readonly bytes: Uint8Array
  readonly offsets: Int32Array
}

/** Packs strings by id; ids without one are holes. The later of two strings for one id counts. */
export function tokenStrings(tokens: Iterable<readonly [string, number]>): TokenStrings {
  const byId = new Map<number, string>()
  let size = 0
  let room = 0
  for (const [text, id] of tokens) {
    byId.set(id, text)
    size = Math.max(size, id + 1)
    room += Buffer.byteLength(text)
  }
  const bytes = new Uint8Array(new SharedArrayBuffer(room))
  const offsets = new Int32Array(new SharedArrayBuffer((size + 1) * Int32Array.BYTES_PER_ELEMENT))
  let at = 0
  for (let id = 0; id < size; id++) {
    offsets[id] = at
    const utf8 = encoder.encode(byId.get(id))
    bytes.set(utf8, at)
    at += utf8.length
  }
  offsets[size] = at
  return { bytes, offsets }
}

/** The string of a token; undefined for a hole or an id out of range. */
export function stringOf({ bytes, offsets }: TokenStrings, id: number): string | undefined {
  const start = offsets[id]
  const end = offsets[id + 1]
  if (start === undefined || end === undefined || start === end) return undefined
  return decoder.decode(bytes.slice(start, end))
}
