import { StringDecoder } from 'node:string_decoder'
import { type AddedToken, AddedTokenFinder, NO_TEMPLATE, type SpecialTemplate } from '../added-tokens.js'
import { type Ids, TokenBuffer } from '../token-buffer.js'
import { allowedLiterals } from '../tokenize.js'
import type { DecodedText, DocumentMarks, StreamOptions, Tokenizer, TokenStream } from '../tokenizer.js'
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
export interface WordPieceSpec extends WordPieceModel {
  /** Undefined: the text is not changed. */
  readonly normalization: BertNormalization | undefined
  readonly addedTokens: readonly AddedToken[]
  readonly template: SpecialTemplate
  readonly strings: TokenStrings
  readonly decoder: WordPieceDecoder | undefined
  readonly endOfText: number | undefined
  readonly marks?: DocumentMarks | undefined
}

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
  readonly addedTokens: readonly AddedToken[]
  readonly endOfText: number | undefined
  readonly marks: DocumentMarks | undefined
  readonly strings: TokenStrings
  readonly decode: (ids: Ids) => DecodedText
  readonly #table: NormalizationTable
  /** By set of allowed special tokens, since requests share sets. */
  readonly #finders = new WeakMap<ReadonlySet<string>, Finders>()

  constructor(private readonly spec: WordPieceSpec) {
    this.strings = spec.strings
    this.decode = wordPieceText(spec.strings, spec.decoder)
    this.vocabSize = spec.strings.offsets.length - 1
    this.specialTokens = new Map(
      spec.addedTokens.filter(({ special }) => special).map(({ content, id }) => [content, id]),
    )
    this.addedTokens = spec.addedTokens
    this.endOfText = spec.endOfText
    this.marks = spec.marks
    this.#table = new NormalizationTable(spec.normalization ?? UNCHANGED)
  }

  stream({ allowedSpecial, addSpecialTokens = false, ranges = false }: StreamOptions): WordPieceStream {
    const { original, normalized } = this.#findersFor(allowedSpecial)
    const ids = new StepIds(ranges)
    const found = (finder: AddedTokenFinder | undefined, sink: CharacterSink) =>
      finder === undefined ? sink : new AddedTokenMatches(finder, this.#table, sink, ids)
    const words = found(normalized, new Words(this.spec, ids))
    const reader = found(original, new Normalizer(this.#table, words))
    return new WordPieceStream(reader, ids, addSpecialTokens ? this.spec.template : NO_TEMPLATE)
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

  #findersFor(allowedSpecial: ReadonlySet<string>): Finders {
    let finders = this.#finders.get(allowedSpecial)
    if (finders === undefined) {
      allowedLiterals(this.specialTokens, allowedSpecial) // throws for an unknown one
      const tokens = this.spec.addedTokens.filter(
        ({ special, content }) => !special || allowedSpecial.has(content),
      )
      const finder = (normalized: boolean, units: (content: string) => number[]) => {
        const chosen = tokens.filter((token) => token.normalized === normalized)
        return chosen.length === 0 ? undefined : new AddedTokenFinder(chosen, units)
      }
      finders = {
        original: finder(false, (content) => Array.from(content, (character) => character.codePointAt(0)!)),
        normalized: finder(true, (content) => normalizedCodePoints(this.#table, content)),
      }
      this.#finders.set(allowedSpecial, finders)
    }
    return finders
  }
}

/** The list that takes the ids of a stream's step. */
class StepIds implements IdSink {
  list = new TokenBuffer()

  constructor(readonly ranges: boolean) {}

  push(id: number, start: number, end: number): void {
    this.list.push(id)
    if (this.ranges) this.list.pushRange(start, end)
  }
}

/**
 * UTF-16 units read in one step: a fraction of a millisecond for ordinary text, a few for the most hostile. They become at
 * most three characters each.
 */
const STEP_UNITS = 4096

/** Tokenizes one document. Offsets count from its start. */
class WordPieceStream implements TokenStream {
  readonly #decoder = new StringDecoder('utf8')
  #text = ''
  #at = 0
  /** Bytes read. */
  #bytes = 0
  #ended = false
  #isDone = false
  #before: readonly number[]

  /** @param reader takes the characters as they are in the text */
  constructor(
    private readonly reader: CharacterSink,
    private readonly ids: StepIds,
    private readonly template: SpecialTemplate,
  ) {
    this.#before = template.before
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

  advance(list: TokenBuffer): boolean {
    if (this.#isDone) return false
    const { ids, reader } = this
    const text = this.#text
    ids.list = list
    if (ids.ranges) list.ranges ??= new TokenBuffer()
    for (const id of this.#before) ids.push(id, 0, 0)
    this.#before = []
    const until = Math.min(text.length, this.#at + STEP_UNITS)
    while (this.#at < until) {
      const codePoint = text.codePointAt(this.#at)!
      const start = this.#bytes
      this.#at += codePoint > 0xffff ? 2 : 1
      this.#bytes += utf8Length(codePoint)
      list.characters++
      reader.add(codePoint, 'word', start, this.#bytes)
    }
    const isRead = this.#at >= text.length
    if (this.#ended && isRead) {
      reader.end()
      for (const id of this.template.after) ids.push(id, 0, 0)
      this.#isDone = true
    }
    return !isRead
  }
}
