import { isUtf8 } from 'node:buffer'
import {
  instantiateTokenJsonKernel,
  TOKEN_JSON_SLACK,
  type TokenJsonKernel,
} from '../kernels/token-json-kernel.js'
import type { Encoding } from '../tokens/encoding.js'

/** Most ids of one call. */
export const TOKEN_SLICE = 1024

/** Bytes that one call writes at most. */
const SCRATCH_BYTES = 1 << 16
/** Bytes of an entry's text at most, so that its token fits into any block. */
const MAX_ENTRY_TEXT = SCRATCH_BYTES / 2
/** Bytes of an entry's two numbers. */
const ENTRY_HEAD = 8
/** Most bytes of an entry beside those of its token: head, names, an id of seven digits, what base64 and alignment add. */
const ENTRY_FRAME = 64
/** Most bytes of an entry for a byte of its token: six as an escape in the text, and its share of base64. */
const ENTRY_BYTES_A_BYTE = 8
/** Bytes of a token behind its text, its two offsets left out. */
const FRAME_BYTES = ',"end":},'.length

const encoder = new TextEncoder()

/**
 * The tokens of one encoding as JSON. What an id adds but for its offsets is made when the id first comes, and kept:
 * making takes fifty times as long as copying.
 */
export class TokenJson {
  readonly #encoding: Encoding
  readonly #kernel: TokenJsonKernel
  readonly #bytes: Uint8Array
  readonly #words: Uint32Array
  readonly #ids: Int32Array
  /** Where the kernel writes. */
  readonly #scratch: number
  /** For each id the address of its entry; 0: not made yet. */
  readonly #entries: Uint32Array
  #nextEntry: number
  /** Where in the text the tokens end that were measured or written last. */
  end = 0

  constructor(encoding: Encoding) {
    const { size, bytes } = encoding.vocabulary
    this.#encoding = encoding
    this.#kernel = instantiateTokenJsonKernel()
    const sizes = [
      4 * TOKEN_SLICE,
      SCRATCH_BYTES + TOKEN_JSON_SLACK,
      4 * size,
      ENTRY_FRAME * size + ENTRY_BYTES_A_BYTE * bytes.length + TOKEN_JSON_SLACK, // for all: untouched, it costs nothing
    ]
    const [ids, scratch, entries, firstEntry] = sizes.map((each) => this.#kernel.reserve(each))
    const { buffer } = this.#kernel.memory
    this.#bytes = new Uint8Array(buffer)
    this.#words = new Uint32Array(buffer)
    this.#ids = new Int32Array(buffer, ids, TOKEN_SLICE)
    this.#entries = new Uint32Array(buffer, entries, size)
    this.#scratch = scratch
    this.#nextEntry = firstEntry
  }

  /** Bytes of `ids` with a comma behind each. */
  measureIds(ids: Int32Array): number {
    let bytes = ids.length
    for (const id of ids) bytes += digitCount(id)
    return bytes
  }

  /**
   * Bytes of the tokens of `ids` with a comma behind each, the first of which begins at byte `start` of the text. Makes
   * what is not there yet: a microsecond for an id.
   */
  measureTokens(ids: Int32Array, start: number): number {
    const entries = this.#entries
    const words = this.#words
    let bytes = ids.length * FRAME_BYTES
    let end = start
    let digits = digitCount(start)
    let nextPower = 10 ** digits
    for (const id of ids) {
      const entry = (entries[id] || this.#make(id)) >>> 2
      bytes += words[entry] + digits
      end += words[entry + 1]
      for (; end >= nextPower; nextPower *= 10) digits++
      bytes += digits
    }
    this.end = end
    return bytes
  }

  /** Writes at most {@link TOKEN_SLICE} ids, `15496,11,`, to `out` from `at` on, which has room; returns where they end. */
  writeIds(out: Uint8Array, at: number, ids: Int32Array): number {
    this.#ids.set(ids)
    const written = this.#kernel.writeIds(this.#scratch, this.#ids.byteOffset, ids.length)
    return this.#copy(out, at, written)
  }

  /**
   * Writes tokens, `{"id":15496,…,"start":0,"end":5},`, to `out` from `at` on while they fit; returns where they end.
   * Their ids, at most {@link TOKEN_SLICE}, have been measured. {@link written} says how many tokens there are.
   */
  writeTokens(out: Uint8Array, at: number, ids: Int32Array, start: number): number {
    this.#ids.set(ids)
    const room = Math.min(out.length - at, SCRATCH_BYTES)
    const { byteOffset: entries } = this.#entries
    const { byteOffset: input } = this.#ids
    const bytes = this.#kernel.writeTokens(this.#scratch, room, entries, input, ids.length, start)
    this.end = this.#kernel.end.value
    return this.#copy(out, at, bytes)
  }

  /** How many tokens the last call wrote. */
  get written(): number {
    return this.#kernel.written.value
  }

  #copy(out: Uint8Array, at: number, bytes: number): number {
    out.set(this.#bytes.subarray(this.#scratch, this.#scratch + bytes), at)
    return at + bytes
  }

  #make(id: number): number {
    const entry = this.#nextEntry
    const bytes = this.#encoding.tokenBytes(id)
    if (bytes === undefined) throw new RangeError(`id ${id} is no token of ${this.#encoding.name}`)
    const text = entry + ENTRY_HEAD
    const { written } = encoder.encodeInto(entryText(id, bytes), this.#bytes.subarray(text))
    if (written > MAX_ENTRY_TEXT) throw new RangeError(`token ${id} of ${this.#encoding.name} is too long`)
    this.#words[entry >>> 2] = written
    this.#words[(entry >>> 2) + 1] = bytes.length
    this.#entries[id] = entry
    this.#nextEntry = (text + written + 3) & ~3
    return entry
  }
}

/** What an id adds but for its offsets; a token that is not whole characters has no text. */
function entryText(id: number, token: Uint8Array): string {
  const bytes = Buffer.from(token.buffer, token.byteOffset, token.byteLength)
  const text = isUtf8(bytes) ? JSON.stringify(bytes.toString()) : 'null'
  return `{"id":${id},"bytes":"${bytes.toString('base64')}","text":${text},"start":`
}

function digitCount(value: number): number {
  let digits = 1
  for (let power = 10; power <= value; power *= 10) digits++
  return digits
}

const byEncoding = new WeakMap<Encoding, TokenJson>()

/** The thread's writer for an encoding: each call is over before the next one, so that all answers share it. */
export function tokenJson(encoding: Encoding): TokenJson {
  let json = byEncoding.get(encoding)
  if (json === undefined) {
    json = new TokenJson(encoding)
    byEncoding.set(encoding, json)
  }
  return json
}
