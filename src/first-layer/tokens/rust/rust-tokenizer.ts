import { InletError } from '../../errors.js'
import { type Stop, waitWithin } from '../../running/wait.js'
import { specialTokensOf, type TokenFacts } from '../added-tokens.js'
import type { BytePairSpec } from '../byte-pair/byte-pair-tokenizer.js'
import { type Ids, TokenBuffer } from '../token-buffer.js'
import { byAllowed, STEP_IDS, sliceEnd } from '../tokenize.js'
import type { DecodedText, StreamOptions, Tokenizer, TokenStream } from '../tokenizer.js'
import { joined, stringOf, type TokenStrings } from '../vocabulary.js'
import { type Writing, writtenText } from '../writing.js'
import type { Encoded, EncodeWork, Result, RustWork, TokenizerJson } from './messages.js'
import type { TokenizerLibrary } from './rust-library.js'

/** Bytes of the longest text: the library and its answers hold some hundred bytes for each of them. */
export const MAX_RUST_TEXT_BYTES = 1 << 20
/** Most ids of one text that is made of ids. */
export const MAX_RUST_IDS = 1 << 20
/** Most bytes of the strings of these ids' tokens. A byte of text has up to six: `<0x0A>`. */
export const MAX_RUST_TOKEN_BYTES = 1 << 23

/** Memory that an id takes on its way to the library, and a byte of its token's string on the way back. */
const ID_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT
const STRING_BYTES = 4
/** UTF-16 units of a part of a text. */
const PART_UNITS = 1 << 14

const REPLACEMENT = '\ufffd'

/** A tokenizer that the Rust library runs, as plain data, large parts in shared memory. */
export interface RustSpec extends TokenFacts {
  /** The part of the file for which no tokenizer of our own stands: `model Unigram`. */
  readonly component: string
  readonly strings: TokenStrings
  /** How the file writes its tokens; absent: as they are. */
  readonly writing?: Writing | undefined
  /** Encodes in place of the library, which then only makes text of ids. */
  readonly encoder?: BytePairSpec | undefined
}

export type RustTokenizer = ReturnType<typeof rustTokenizer>

/**
 * A tokenizer that the Rust library runs in its own process.
 *
 * @param encoder of `spec.encoder`
 */
export function rustTokenizer(
  library: TokenizerLibrary,
  file: TokenizerJson,
  { addedTokens, strings, endOfText, marks, writing }: RustSpec,
  encoder?: Tokenizer,
) {
  /** The literals that are ordinary text. */
  const forbidden = byAllowed(addedTokens, (counted) =>
    addedTokens.filter((token) => !counted.includes(token)).map(({ content }) => content),
  )
  return {
    encoding: undefined,
    isLossless: false,
    vocabulary: undefined,
    vocabSize: strings.offsets.length - 1,
    specialTokens: specialTokensOf(addedTokens),
    ...{ addedTokens, endOfText, marks, strings },
    ...(encoder === undefined ? { maxTextBytes: MAX_RUST_TEXT_BYTES } : {}),

    stream(given: StreamOptions): TokenStream {
      if (encoder !== undefined) return encoder.stream(given)
      const { allowedSpecial, addSpecialTokens = false, ranges = false } = given
      const options = { forbidden: forbidden(allowedSpecial), addSpecialTokens, ranges }
      return new RustStream(library, file, options)
    },

    encodeShort: (text: string, options: StreamOptions, ids: TokenBuffer) =>
      encoder?.encodeShort?.(text, options, ids) ?? false,

    tokenText(id: number): string | null | undefined {
      const text = stringOf(strings, id)
      return text === undefined ? undefined : writtenText(text, writing)
    },

    decodeBytes(ids: number, bytes: number): number {
      if (ids > MAX_RUST_IDS || bytes > MAX_RUST_TOKEN_BYTES) throw tooMany(ids, bytes)
      return ID_BYTES * ids + STRING_BYTES * bytes
    },

    async decode(ids: Ids, stop?: Stop): Promise<DecodedText> {
      const copy = Int32Array.from({ length: ids.length }, (_, i) => ids.at(i) as number)
      const text = (await asked(library, { type: 'decode', file, ids: copy }, stop)) as string
      return { lossy: text.includes(REPLACEMENT), parts: () => partsOf(text) }
    },
  } satisfies Tokenizer
}

/** One document for the library: its bytes are held until the end, then encoded in the library’s process. */
class RustStream implements TokenStream {
  #chunks: Uint8Array[] = []
  #encoded: Encoded | undefined
  #given = 0

  constructor(
    private readonly library: TokenizerLibrary,
    private readonly file: TokenizerJson,
    private readonly options: Pick<EncodeWork, 'forbidden' | 'addSpecialTokens' | 'ranges'>,
  ) {}

  write(utf8: Uint8Array): void {
    this.#chunks.push(new Uint8Array(utf8))
  }

  async end(stop?: Stop): Promise<void> {
    const utf8 = joined(this.#chunks)
    this.#chunks = []
    const work = { type: 'encode', file: this.file, utf8, ...this.options } as const
    this.#encoded = (await asked(this.library, work, stop)) as Encoded
  }

  advance(ids: TokenBuffer): boolean {
    const encoded = this.#encoded
    if (encoded === undefined) return false
    const start = this.#given
    if (start === 0) ids.characters += encoded.characters
    if (this.options.ranges) ids.ranges ??= new TokenBuffer() // a text may have no token
    const end = Math.min(encoded.ids.length, start + STEP_IDS)
    ids.append(encoded.ids.subarray(start, end))
    if (this.options.ranges) ids.ranges?.append(encoded.ranges.subarray(2 * start, 2 * end))
    this.#given = end
    return end < encoded.ids.length
  }
}

/** The work's result; a work whose caller leaves meanwhile is taken off the library's queue. */
async function asked(library: TokenizerLibrary, work: RustWork, stop?: Stop): Promise<Result> {
  const ticket = crypto.randomUUID()
  try {
    return await waitWithin(library.run({ ...work, ticket }), { claim: stop })
  } catch (error) {
    void library.leave(ticket)
    throw error
  }
}

/** A text in parts of whole code points. */
function* partsOf(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start, PART_UNITS)
    yield text.slice(start, end)
    start = end
  }
}

function tooMany(ids: number, bytes: number): InletError {
  const rule = `at most ${MAX_RUST_IDS} ids, whose tokens have at most ${MAX_RUST_TOKEN_BYTES} bytes`
  const message = `\`input_ids\` must be ${rule}, for the model’s tokenizer. Given: ${ids} ids of ${bytes} bytes`
  return new InletError('body_too_large', message, 'input_ids')
}
