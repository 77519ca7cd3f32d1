import { StringDecoder } from 'node:string_decoder'
import {
  type AddedToken,
  NO_TEMPLATE,
  type SpecialTemplate,
  specialTokensOf,
  type TokenFacts,
} from '../added-tokens.js'
import { TokenBuffer } from '../token-buffer.js'
import { byAllowed } from '../tokenize.js'
import type { StreamOptions, Tokenizer, TokenStream } from '../tokenizer.js'
import { utf8Length } from '../unicode/utf8-sequence.js'
import { stringOf, type TokenStrings } from '../vocabulary.js'
import { AddedTokenFinder, AddedTokenMatches } from './added-token-matches.js'
import { type WordPieceDecoder, wordPieceText } from './decode.js'
import {
  type BertNormalization,
  type CharacterSink,
  NormalizationTable,
  Normalizer,
  normalizedText,
} from './normalization.js'
import { type IdSink, type WordPieceModel, Words } from './words.js'

/** A WordPiece tokenizer as plain data; its large parts are in shared memory, so that threads use one copy. */
export interface WordPieceSpec extends WordPieceModel, TokenFacts {
  readonly normalization: BertNormalization
  readonly template: SpecialTemplate
  readonly strings: TokenStrings
  readonly decoder: WordPieceDecoder | undefined
}

export type WordPieceTokenizer = ReturnType<typeof wordPieceTokenizer>

/** WordPiece with BertNormalizer and BertPreTokenizer; ids and ranges are the Rust library's. */
export function wordPieceTokenizer(spec: WordPieceSpec) {
  const { strings, addedTokens, endOfText, marks } = spec
  const table = new NormalizationTable(spec.normalization)
  /** Finders of the added tokens that count. */
  const finders = findersBy(addedTokens, table)
  const stream = (options: StreamOptions) =>
    new WordPieceStream(spec, table, finders(options.allowedSpecial), options)
  return {
    encoding: undefined,
    isLossless: false,
    vocabulary: undefined,
    vocabSize: strings.offsets.length - 1,
    specialTokens: specialTokensOf(addedTokens),
    ...{ addedTokens, endOfText, marks, strings },
    decode: wordPieceText(strings, spec.decoder),
    stream,
    encodeShort(text: string, options: StreamOptions, ids: TokenBuffer): boolean {
      if (options.ranges || text.length > STEP_UNITS) return false
      const short = stream(options)
      short.write(Buffer.from(text))
      short.end()
      short.advance(ids)
      return true
    },
    tokenText: (id: number) => stringOf(strings, id),
  } satisfies Tokenizer
}

function findersBy(addedTokens: readonly AddedToken[], table: NormalizationTable) {
  return byAllowed(addedTokens, (tokens) => {
    const finder = (normalized: boolean) => {
      const chosen = tokens.filter((token) => token.normalized === normalized)
      const written = (content: string) => (normalized ? normalizedText(table, content) : content)
      return chosen.length === 0 ? undefined : new AddedTokenFinder(chosen, written)
    }
    return { original: finder(false), normalized: finder(true) }
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
