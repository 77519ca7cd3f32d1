import { DocumentStream } from './document-stream.js'
import { ENCODINGS } from './registry.js'
import type { TokenBuffer } from './token-buffer.js'
import { Tokenizer } from './tokenizer.js'

export type EncodingName = 'gpt2' | 'r50k_base' | 'p50k_base' | 'cl100k_base' | 'o200k_base'

export const ENCODING_NAMES = Object.keys(ENCODINGS) as readonly EncodingName[]

/** A tokenizer: what its ids mean, and how text becomes ids. */
export interface Encoding {
  readonly name: EncodingName
  /** Highest id + 1; some ids below it may be holes. */
  readonly vocabSize: number
  readonly endOfText: number
  /** Literal → id, as `<|endoftext|>` → 50256. */
  readonly specialTokens: ReadonlyMap<string, number>
  /**
   * Starts a new document. `allowedSpecial` are literals of `specialTokens` that become their ids; any other
   * is ordinary text.
   */
  stream(allowedSpecial: ReadonlySet<string>): TokenStream
  /** The bytes of a token, a special token's literal included; undefined for a hole or an id out of range. */
  tokenBytes(id: number): Uint8Array | undefined
}

/**
 * One document on its way from UTF-8 to ids: `write` its bytes in any cut, `end`, and call `advance` until
 * it has no more to do. Bytes must be valid UTF-8; that is checked elsewhere.
 */
export interface TokenStream {
  /** Takes bytes, cut anywhere, even within a character. They are copied before it returns. */
  write(utf8: Uint8Array): void
  /** No more bytes follow. */
  end(): void
  /** Does a bounded amount of work, about a millisecond, and appends ids; true while more can be done now. */
  advance(ids: TokenBuffer): boolean
}

const loaded = new Map<EncodingName, Promise<Encoding>>()

/** The encoding of that name, loaded at first use and kept: one per thread. */
export function loadEncoding(name: EncodingName): Promise<Encoding> {
  let encoding = loaded.get(name)
  if (!encoding) {
    encoding = load(name)
    loaded.set(name, encoding)
    encoding.catch(() => loaded.delete(name))
  }
  return encoding
}

async function load(name: EncodingName): Promise<Encoding> {
  const { pattern, ranks } = ENCODINGS[name]
  const tokenizer = new Tokenizer((await ranks()).default, pattern)
  const { size, bytes, offsets, specialTokens } = tokenizer.vocabulary
  const literals = new Map([...specialTokens].map(([literal, id]) => [id, new TextEncoder().encode(literal)]))
  return {
    name,
    vocabSize: size,
    endOfText: specialTokens.get('<|endoftext|>')!,
    specialTokens,
    stream: (allowedSpecial) => new DocumentStream(tokenizer, allowedSpecial),
    tokenBytes: (id) =>
      literals.get(id) ??
      (offsets[id]! < offsets[id + 1]! ? bytes.subarray(offsets[id], offsets[id + 1]) : undefined),
  }
}
