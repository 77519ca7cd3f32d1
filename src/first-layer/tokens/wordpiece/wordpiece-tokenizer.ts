import { StringDecoder } from 'node:string_decoder'
import {
  type AddedToken,
  AddedTokenFinder,
  byAllowed,
  NO_TEMPLATE,
  type SpecialTemplate,
  specialTokensOf,
  type TokenFacts,
} from '../added-tokens.js'
import { type Ids, TokenBuffer } from '../token-buffer.js'
import type { DecodedText, StreamOptions, Tokenizer, TokenStream } from '../tokenizer.js'
import { utf8Length } from '../unicode/utf8-sequence.js'
import { stringOf, type TokenStrings } from '../vocabulary.js'
import { AddedTokenMatches } from './added-token-matches.js'
import { type WordPieceDecoder, wordPieceText } from './decode.js'
import {
  type BertNormalization,
  type CharacterSink,
  NormalizationTable,
  Normalizer,
  normalizedCodePoints,
  UNCHANGED,
} from './normalization.js'
import { type IdSink, type WordPieceModel, Words } from './words.js'

/** A WordPiece tokenizer as plain data; its large parts are in shared memory, so that threads use one copy. */
export interface WordPieceSpec extends WordPieceModel, TokenFacts {
  /** Undefined: the text is not changed. */
  readonly normalization: BertNormalization | undefined
  readonly template: SpecialTemplate
  readonly strings: TokenStrings
  readonly decoder: WordPieceDecoder | undefined
}

/** WordPiece with BertNormalizer and BertPreTokenizer; ids and ranges are the Rust library's. */
export class WordPieceTokenizer implements Tokenizer {
  readonly encoding = undefined
  readonly isLossless = false
  readonly vocabulary = undefined
  readonly vocabSize: number
  readonly specialTokens: ReadonlyMap<string, number>
  readonly addedTokens: readonly AddedToken[]
  readonly endOfText: number | undefined
  readonly marks: TokenFacts['marks']
  readonly strings: TokenStrings
  readonly decode: (ids: Ids) => DecodedText
  readonly #table: NormalizationTable
  /** Finders of the added tokens that count under a set of allowed special tokens. */
  readonly #finders: ReturnType<typeof findersBy>

  constructor(private readonly spec: WordPieceSpec) {
    this.strings = spec.strings
    this.decode = wordPieceText(spec.strings, spec.decoder)
    this.vocabSize = spec.strings.offsets.length - 1
    this.specialTokens = specialTokensOf(spec.addedTokens)
    this.addedTokens = spec.addedTokens
    this.endOfText = spec.endOfText
    this.marks = spec.marks
    this.#table = new NormalizationTable(spec.normalization ?? UNCHANGED)
    this.#finders = findersBy(spec.addedTokens, this.#table)
  }

  stream(options: StreamOptions): WordPieceStream {
    return new WordPieceStream(this.spec, this.#table, this.#finders(options.allowedSpecial), options)
  }

  encodeShort(text: string, options: StreamOptions, ids: TokenBuffer): boolean {
    if (options.ranges || text.length > STEP_UNITS) return false
    const stream = this.stream(options)
    stream.writeWhole(text)
    stream.advance(ids)
    return true
  }

  tokenText(id: number): string | undefined {
    return stringOf(this.strings, id)
  }
}

function findersBy(addedTokens: readonly AddedToken[], table: NormalizationTable) {
  return byAllowed(addedTokens, (tokens) => {
    const finder = (normalized: boolean, units: (content: string) => number[]) => {
      const chosen = tokens.filter((token) => token.normalized === normalized)
      return chosen.length === 0 ? undefined : new AddedTokenFinder(chosen, units)
    }
    return {
      original: finder(false, (content) => Array.from(content, (character) => character.codePointAt(0)!)),
      normalized: finder(true, (content) => normalizedCodePoints(table, content)),
    }
  })
}

/**
 * UTF-16 units read in one step: a fraction of a millisecond for ordinary text, a few for the most hostile. They become at
 * most three characters each.
 */
const STEP_UNITS = 4096

/** Tokenizes one document. Offsets count from its start. */
class WordPieceStream implements TokenStream, IdSink {
  readonly #decoder = new StringDecoder('utf8')
  /** Takes the characters as they are in the text. */
  readonly #reader: CharacterSink
  readonly #template: SpecialTemplate
  #text = ''
  #at = 0
  /** Bytes read. */
  #bytes = 0
  #isBegun = false
  #ended = false
  #isDone = false
  /** Takes the ids of this step. */
  #ids = new TokenBuffer()

  constructor(
    spec: WordPieceSpec,
    table: NormalizationTable,
    { original, normalized }: ReturnType<ReturnType<typeof findersBy>>,
    private readonly options: StreamOptions,
  ) {
    const found = (finder: AddedTokenFinder | undefined, sink: CharacterSink) =>
      finder === undefined ? sink : new AddedTokenMatches(finder, table, sink, this)
    this.#reader = found(original, new Normalizer(table, found(normalized, new Words(spec, table, this))))
    this.#template = options.addSpecialTokens ? spec.template : NO_TEMPLATE
  }

  push(id: number, start: number, end: number): void {
    this.#ids.push(id)
    if (this.options.ranges) this.#ids.pushRange(start, end)
  }

  write(utf8: Uint8Array): void {
    this.#text = this.#text.slice(this.#at) + this.#decoder.write(utf8)
    this.#at = 0
  }

  writeWhole(text: string): void {
    this.#text = text
    this.#ended = true
  }

  end(): undefined {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    if (this.#isDone) return false
    const text = this.#text
    this.#ids = ids
    if (this.options.ranges) ids.ranges ??= new TokenBuffer()
    if (!this.#isBegun) for (const id of this.#template.before) this.push(id, 0, 0)
    this.#isBegun = true
    const until = Math.min(text.length, this.#at + STEP_UNITS)
    while (this.#at < until) {
      const codePoint = text.codePointAt(this.#at)!
      const start = this.#bytes
      this.#at += codePoint > 0xffff ? 2 : 1
      this.#bytes += utf8Length(codePoint)
      ids.characters++
      this.#reader.add(codePoint, start, this.#bytes)
    }
    const isMore = this.#at < text.length
    if (this.#ended && !isMore) {
      this.#reader.end()
      for (const id of this.#template.after) this.push(id, 0, 0)
      this.#isDone = true
    }
    return isMore
  }
}
