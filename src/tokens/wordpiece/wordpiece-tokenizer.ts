import { InletError } from '../../errors.js'
import { Pace, type StopSignal } from '../../turn.js'
import type { AddedToken } from '../added-token.js'
import { allowedLiterals } from '../allowed-literals.js'
import { NO_TEMPLATE } from '../special-template.js'
import { stringOf } from '../token-strings.js'
import type { StreamOptions, Tokenizer } from '../tokenizer.js'
import { AddedTokenFinder } from './added-token-finder.js'
import { decodePiece } from './decode.js'
import { IdBatch } from './id-batch.js'
import { NormalizationTable, UNCHANGED } from './normalization-table.js'
import { NormalizedMatches } from './normalized-matches.js'
import { normalizedCodePoints } from './normalized-text.js'
import { TextReader } from './text-reader.js'
import type { WordPieceSpec } from './wordpiece-spec.js'
import { WordPieceStream } from './wordpiece-stream.js'
import { Words } from './words.js'

const encoder = new TextEncoder()

/** Finders of the added tokens that count under one set of allowed special tokens. */
interface Finders {
  readonly original: AddedTokenFinder | undefined
  readonly normalized: AddedTokenFinder | undefined
}

/** WordPiece with BertNormalizer and BertPreTokenizer; ids and ranges are the Rust library's. */
export class WordPieceTokenizer implements Tokenizer {
  readonly encoding = undefined
  readonly isLossless = false
  readonly vocabulary = undefined
  readonly vocabSize: number
  readonly specialTokens: ReadonlyMap<string, number>
  readonly endOfText: number | undefined
  readonly #table: NormalizationTable
  readonly #batch = new IdBatch()
  /** The finders used last: most requests allow the same special tokens. */
  #finders: { readonly key: string; readonly finders: Finders } | undefined

  constructor(private readonly spec: WordPieceSpec) {
    this.vocabSize = spec.strings.offsets.length - 1
    this.specialTokens = new Map(
      spec.addedTokens.filter(({ special }) => special).map(({ content, id }) => [content, id]),
    )
    this.endOfText = spec.endOfText
    this.#table = new NormalizationTable(spec.normalization ?? UNCHANGED)
  }

  stream({ allowedSpecial, addSpecialTokens = false, ranges = false }: StreamOptions): WordPieceStream {
    const { original, normalized } = this.#findersFor(allowedSpecial)
    const batch = this.#batch
    const words = new Words(this.spec, batch, ranges)
    const matches =
      normalized === undefined ? undefined : new NormalizedMatches(normalized, this.#table, words, batch)
    const reader = new TextReader(this.#table, original, matches, words, batch)
    return new WordPieceStream(reader, batch, addSpecialTokens ? this.spec.template : NO_TEMPLATE, ranges)
  }

  tokenText(id: number): string | undefined {
    return stringOf(this.spec.strings, id)
  }

  async decode(ids: Int32Array, signal?: StopSignal): Promise<string> {
    const pace = new Pace(signal)
    let text = ''
    for (let i = 0; i < ids.length; i++) {
      if (i % 256 === 0 && pace.isOver) await pace.nextTurn()
      const token = this.tokenText(ids[i]!)
      if (token === undefined)
        throw new InletError('token_out_of_range', `\`input_ids\` has an id without text. Given: ${ids[i]}`)
      text += decodePiece(token, i === 0, this.spec.decoder)
    }
    return text
  }

  #findersFor(allowedSpecial: ReadonlySet<string>): Finders {
    allowedLiterals(this.specialTokens, allowedSpecial) // throws for an unknown one
    const key = JSON.stringify([...allowedSpecial].sort())
    if (this.#finders?.key !== key) this.#finders = { key, finders: this.#makeFinders(allowedSpecial) }
    return this.#finders.finders
  }

  #makeFinders(allowedSpecial: ReadonlySet<string>): Finders {
    const tokens = this.spec.addedTokens.filter(
      ({ special, content }) => !special || allowedSpecial.has(content),
    )
    const finder = (normalized: boolean, units: (content: string) => ArrayLike<number>) => {
      const chosen = tokens.filter((token: AddedToken) => token.normalized === normalized)
      return chosen.length === 0 ? undefined : new AddedTokenFinder(chosen, units)
    }
    return {
      original: finder(false, (content) => encoder.encode(content)),
      normalized: finder(true, (content) => normalizedCodePoints(this.#table, content)),
    }
  }
}
