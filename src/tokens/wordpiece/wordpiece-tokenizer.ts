import type { AddedToken } from '../added-token.js'
import { allowedLiterals } from '../allowed-literals.js'
import type { DecodedText } from '../decoded-text.js'
import type { Ids } from '../ids.js'
import { NO_TEMPLATE } from '../special-template.js'
import { stringOf, type TokenStrings } from '../token-strings.js'
import type { StreamOptions, Tokenizer } from '../tokenizer.js'
import { AddedTokenFinder } from './added-token-finder.js'
import { WordPieceText } from './decode.js'
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
  readonly strings: TokenStrings
  readonly #table: NormalizationTable
  readonly #batch = new IdBatch()
  readonly #text: WordPieceText
  /** By set of allowed special tokens: sets come again. */
  readonly #finders = new WeakMap<ReadonlySet<string>, Finders>()

  constructor(private readonly spec: WordPieceSpec) {
    this.strings = spec.strings
    this.#text = new WordPieceText(spec)
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
    return stringOf(this.strings, id)
  }

  decode(ids: Ids): DecodedText {
    return this.#text.of(ids)
  }

  #findersFor(allowedSpecial: ReadonlySet<string>): Finders {
    let finders = this.#finders.get(allowedSpecial)
    if (finders === undefined) {
      allowedLiterals(this.specialTokens, allowedSpecial) // throws for an unknown one
      finders = this.#makeFinders(allowedSpecial)
      this.#finders.set(allowedSpecial, finders)
    }
    return finders
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
