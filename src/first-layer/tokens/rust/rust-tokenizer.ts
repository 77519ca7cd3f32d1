import { InletError } from '../../errors.js'
import type { Steps } from '../../steps.js'
import { allowedLiterals } from '../allowed-special.js'
import type { DecodedText } from '../decoded-text.js'
import type { Ids } from '../ids.js'
import { stringOf, type TokenStrings } from '../token-strings.js'
import type { StreamOptions, Tokenizer } from '../tokenizer.js'
import { copiedIds } from './copied-ids.js'
import type { OpenTokenizer } from './open-tokenizer.js'
import { partsOf } from './parts-of.js'
import type { RustSpec } from './rust-spec.js'
import { RustStream } from './rust-stream.js'

/** Bytes of the longest text: the library and its answers hold some hundred bytes for each of them. */
export const MAX_RUST_TEXT_BYTES = 1 << 20
/** Most ids of one text that is made of ids. */
export const MAX_RUST_IDS = 1 << 20
/** Most bytes of the strings of these ids' tokens. A byte of text has up to six: `<0x0A>`. */
export const MAX_RUST_TOKEN_BYTES = 1 << 23

/** Memory that an id takes on its way to the library, and a byte of its token's string on the way back. */
const ID_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT
const STRING_BYTES = 4

const REPLACEMENT = '\ufffd'

/** A tokenizer that the Rust library runs in its own process. */
export class RustTokenizer implements Tokenizer {
  readonly encoding = undefined
  readonly isLossless = false
  readonly vocabulary = undefined
  readonly maxTextBytes = MAX_RUST_TEXT_BYTES
  readonly vocabSize: number
  readonly specialTokens: ReadonlyMap<string, number>
  readonly endOfText: number | undefined
  readonly strings: TokenStrings
  /** The literals that are ordinary text, by set of allowed special tokens: sets come again. */
  readonly #forbidden = new WeakMap<ReadonlySet<string>, readonly string[]>()

  constructor(
    private readonly open: OpenTokenizer,
    spec: RustSpec,
  ) {
    this.vocabSize = spec.strings.offsets.length - 1
    this.specialTokens = new Map(spec.specialTokens)
    this.endOfText = spec.endOfText
    this.strings = spec.strings
  }

  stream({ allowedSpecial, addSpecialTokens = false, ranges = false }: StreamOptions): RustStream {
    const forbidden = this.#forbiddenUnder(allowedSpecial)
    const encode: ConstructorParameters<typeof RustStream>[0] = (chunks) =>
      this.open.use((client, key) => client.encode(key, { chunks, forbidden, addSpecialTokens, ranges }))
    return new RustStream(encode, ranges)
  }

  tokenText(id: number): string | undefined {
    return stringOf(this.strings, id)
  }

  *decode(ids: Ids, bytes: number): Steps<DecodedText> {
    if (ids.length > MAX_RUST_IDS || bytes > MAX_RUST_TOKEN_BYTES) throw tooMany(ids.length, bytes)
    yield ID_BYTES * ids.length + STRING_BYTES * bytes
    const copy = yield* copiedIds(ids)
    const text = yield* this.open.use((client, key) => client.decode(key, copy))
    return { lossy: text.includes(REPLACEMENT), parts: () => partsOf(text) }
  }

  /** The model has this tokenizer no more. */
  release(): void {
    this.open.release()
  }

  #forbiddenUnder(allowedSpecial: ReadonlySet<string>): readonly string[] {
    let forbidden = this.#forbidden.get(allowedSpecial)
    if (forbidden === undefined) {
      allowedLiterals(this.specialTokens, allowedSpecial) // throws for an unknown one
      forbidden = [...this.specialTokens.keys()].filter((literal) => !allowedSpecial.has(literal))
      this.#forbidden.set(allowedSpecial, forbidden)
    }
    return forbidden
  }
}

function tooMany(ids: number, bytes: number): InletError {
  const rule = `at most ${MAX_RUST_IDS} ids, whose tokens have at most ${MAX_RUST_TOKEN_BYTES} bytes`
  const message = `\`input_ids\` must be ${rule}, for the model’s tokenizer. Given: ${ids} ids of ${bytes} bytes`
  return new InletError('body_too_large', message, 'input_ids')
}
