import { type AddedToken, AddedTokenFinder, NO_TEMPLATE, type SpecialTemplate } from '../added-tokens.js'
import { type Ids, TokenBuffer } from '../token-buffer.js'
import { allowedLiterals } from '../tokenize.js'
import type { DecodedText, StreamOptions, Tokenizer, TokenStream } from '../tokenizer.js'
import { stringOf, type TokenStrings } from '../vocabulary.js'
import { WordPieceText } from './decode.js'
import { NormalizationTable, UNCHANGED } from './normalization-table.js'
import { NormalizedMatches } from './normalized-matches.js'
import { normalizedCodePoints } from './normalizer.js'
import { TextReader } from './text-reader.js'
import { IdBatch, type WordPieceSpec, Words } from './words.js'

const encoder = new TextEncoder()

/** Bytes of the longest text that is read at once: a fraction of a millisecond, a few for the most hostile. */
const SHORT_BYTES = 6144
const shortText = new Uint8Array(SHORT_BYTES)

/** Finders of the added tokens that count under one set of allowed special tokens. */
interface Finders {
  readonly original: AddedTokenFinder | undefined
  readonly normalized: AddedTokenFinder | undefined
  /** Reads short texts, one after the other. */
  shortTexts: TextReader | undefined
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
  /** By set of allowed special tokens, since requests share sets. */
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
    const reader = this.#makeReader(this.#findersFor(allowedSpecial), ranges)
    const template = addSpecialTokens ? this.spec.template : NO_TEMPLATE
    return new WordPieceStream(reader, this.#batch, template, ranges)
  }

  encodeShort(text: string, options: StreamOptions, ids = new TokenBuffer()): TokenBuffer | undefined {
    const { allowedSpecial, addSpecialTokens = false, ranges = false } = options
    if (ranges || text.length > SHORT_BYTES) return undefined
    const { read, written } = encoder.encodeInto(text, shortText)
    if (read < text.length) return undefined
    const { before, after } = addSpecialTokens ? this.spec.template : NO_TEMPLATE
    const finders = this.#findersFor(allowedSpecial)
    finders.shortTexts ??= this.#makeReader(finders, false)
    const reader = finders.shortTexts
    const batch = this.#batch
    const charactersBefore = reader.characters
    batch.length = 0
    for (const id of before) batch.push(id, 0, 0)
    reader.read(shortText, 0, written, written, 0)
    reader.end()
    for (const id of after) batch.push(id, 0, 0)
    batch.appendTo(ids, false)
    ids.characters += reader.characters - charactersBefore
    return ids
  }

  tokenText(id: number): string | undefined {
    return stringOf(this.strings, id)
  }

  decode(ids: Ids): DecodedText {
    return this.#text.of(ids)
  }

  #makeReader({ original, normalized }: Finders, ranges: boolean): TextReader {
    const batch = this.#batch
    const words = new Words(this.spec, batch, ranges)
    const matches =
      normalized === undefined ? undefined : new NormalizedMatches(normalized, this.#table, words, batch)
    return new TextReader(this.#table, original, matches, words, batch)
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
      shortTexts: undefined,
    }
  }
}

/** Bytes read in one advance: a fraction of a millisecond for ordinary text, a few for the most hostile. */
const ADVANCE_BYTES = 4096

/** Tokenizes one document; holds the bytes that are not read yet. Offsets count from the document's start. */
class WordPieceStream implements TokenStream {
  #waiting = new Uint8Array(0)
  #base = 0
  #read = 0
  #length = 0
  #ended = false
  #isDone = false
  #hasBegun = false

  /** @param batch takes the ids of one advance; streams of a thread may share it */
  constructor(
    private readonly reader: TextReader,
    private readonly batch: IdBatch,
    private readonly template: SpecialTemplate,
    private readonly ranges: boolean,
  ) {}

  write(utf8: Uint8Array): void {
    const kept = this.#length - this.#read
    if (this.#length + utf8.length > this.#waiting.length) {
      const room = kept + utf8.length
      const waiting = room * 2 > this.#waiting.length ? new Uint8Array(room * 2) : this.#waiting
      waiting.set(this.#waiting.subarray(this.#read, this.#length))
      this.#waiting = waiting
      this.#base += this.#read
      this.#length = kept
      this.#read = 0
    }
    this.#waiting.set(utf8, this.#length)
    this.#length += utf8.length
  }

  end(): void {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    if (this.#isDone) return false
    const { batch, reader } = this
    batch.length = 0
    const charactersBefore = reader.characters
    if (!this.#hasBegun) {
      this.#hasBegun = true
      for (const id of this.template.before) batch.push(id, 0, 0)
    }
    const limit = this.#ended ? this.#length : this.#length - reader.lookahead
    const until = Math.min(limit, this.#read + ADVANCE_BYTES)
    if (this.#read < until)
      this.#read = reader.read(this.#waiting, this.#read, until, this.#length, this.#base)
    if (this.#ended && this.#read === this.#length) {
      reader.end()
      for (const id of this.template.after) batch.push(id, 0, 0)
      this.#isDone = true
    }
    batch.appendTo(ids, this.ranges)
    ids.characters += reader.characters - charactersBefore
    return !this.#isDone && this.#read < limit
  }
}
