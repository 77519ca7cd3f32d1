import { DocumentStream } from './document-stream.js'
import { ENCODINGS, type EncodingName } from './registry.js'
import { TokenBuffer } from './token-buffer.js'
import type { TokenStream } from './token-stream.js'
import { Tokenizer } from './tokenizer.js'
import type { Vocabulary } from './vocabulary.js'

export { ENCODING_NAMES, type EncodingName } from './registry.js'
export type { TokenStream } from './token-stream.js'

/** A tokenizer: what its ids mean, and how text becomes ids. */
export interface Encoding {
  readonly name: EncodingName
  /** Highest id + 1; some ids below it may be holes. */
  readonly vocabSize: number
  readonly endOfText: number
  /** Literal → id, as `<|endoftext|>` → 50256. */
  readonly specialTokens: ReadonlyMap<string, number>
  /** The bytes of every token. */
  readonly vocabulary: Vocabulary
  /**
   * Starts a new document. `allowedSpecial` are literals of `specialTokens` that become their ids; any other
   * is ordinary text.
   */
  stream(allowedSpecial: ReadonlySet<string>): TokenStream
  /**
   * The ids of a text of a few thousand characters without special tokens, at once and without the cost of a
   * stream. Adds them to `ids`, if given. Undefined where the text takes longer than one `advance`; then, and
   * where this method is absent, the caller uses a stream.
   */
  encodeShort?(text: string, ids?: TokenBuffer): TokenBuffer | undefined
  /** The bytes of a token, a special token's literal included; undefined for a hole or an id out of range. */
  tokenBytes(id: number): Uint8Array | undefined
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
  const { vocabulary } = tokenizer
  const { size, bytes, offsets, specialTokens } = vocabulary
  return {
    name,
    vocabSize: size,
    endOfText: specialTokens.get('<|endoftext|>')!,
    specialTokens,
    vocabulary,
    encodeShort: (text, ids = new TokenBuffer()) => {
      return tokenizer.encodeShort(text, ids) ? ids : undefined
    },
    stream: (allowedSpecial) => new DocumentStream(tokenizer, allowedSpecial),
    tokenBytes: (id) =>
      offsets[id]! < offsets[id + 1]! ? bytes.subarray(offsets[id], offsets[id + 1]) : undefined,
  }
}
