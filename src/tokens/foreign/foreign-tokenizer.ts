import { allowedLiterals } from '../allowed-literals.js'
import { stringOf } from '../token-strings.js'
import type { StreamOptions, Tokenizer } from '../tokenizer.js'
import type { ForeignClient } from './foreign-client.js'
import type { ForeignSpec } from './foreign-spec.js'
import { ForeignStream } from './foreign-stream.js'

/** Bytes of the longest text: the library and its answers hold up to 400 bytes for each of them. */
export const MAX_FOREIGN_TEXT_BYTES = 1 << 20

/** A tokenizer that the Rust library runs in its own thread, where it is open under `key`. */
export class ForeignTokenizer implements Tokenizer {
  readonly encoding = undefined
  readonly isLossless = false
  readonly vocabulary = undefined
  readonly maxTextBytes = MAX_FOREIGN_TEXT_BYTES
  readonly vocabSize: number
  readonly specialTokens: ReadonlyMap<string, number>
  readonly endOfText: number | undefined

  constructor(
    private readonly client: ForeignClient,
    private readonly key: string,
    private readonly spec: ForeignSpec,
  ) {
    this.vocabSize = spec.strings.offsets.length - 1
    this.specialTokens = new Map(spec.specialTokens)
    this.endOfText = spec.endOfText
  }

  stream({ allowedSpecial, addSpecialTokens = false, ranges = false }: StreamOptions): ForeignStream {
    allowedLiterals(this.specialTokens, allowedSpecial) // throws for an unknown one
    const forbidden = [...this.specialTokens.keys()].filter((literal) => !allowedSpecial.has(literal))
    const { client, key } = this
    return new ForeignStream(
      (chunks) => client.encode({ key, chunks, forbidden, addSpecialTokens, ranges }),
      ranges,
    )
  }

  tokenText(id: number): string | undefined {
    return stringOf(this.spec.strings, id)
  }

  decode(ids: Int32Array): Promise<string> {
    return this.client.decode(this.key, ids)
  }
}
