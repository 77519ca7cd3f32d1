import type { AddedToken, SpecialTemplate } from '../added-tokens.js'
import { TokenBuffer } from '../token-buffer.js'
import type { TokenStrings } from '../vocabulary.js'
import { type BertNormalization, Kind } from './normalization-table.js'
import type { CharacterSink } from './normalizer.js'
import { childOf, type PieceTrie } from './piece-trie.js'

/** The rules for turning ids into text: a blank goes before each piece that does not begin with `prefix`. */
export interface WordPieceDecoder {
  readonly prefix: string
  /** Removes the blank before punctuation and in English contractions. */
  readonly cleanup: boolean
}

/** A WordPiece tokenizer as plain data; its large parts are in shared memory, so that threads use one copy. */
export interface WordPieceSpec {
  /** Undefined: the text is not changed. */
  readonly normalization: BertNormalization | undefined
  readonly trie: PieceTrie
  /** Id of a word that the vocabulary cannot make. */
  readonly unknownId: number
  /** A word of more characters is unknown. */
  readonly maxCharactersPerWord: number
  readonly addedTokens: readonly AddedToken[]
  readonly template: SpecialTemplate
  readonly strings: TokenStrings
  /** Undefined: a blank goes before every piece but the first. */
  readonly decoder: WordPieceDecoder | undefined
  readonly endOfText: number | undefined
}

/** Takes ids, each with its bytes [start, end) in the original text. */
export interface IdSink {
  push(id: number, start: number, end: number): void
}

/** WordPiece as tokenizer.json describes it. */
interface WordPieceModel {
  readonly trie: PieceTrie
  /** Id of a word that the vocabulary cannot make. */
  readonly unknownId: number
  /** A word of more characters is unknown. */
  readonly maxCharactersPerWord: number
}

/**
 * Cuts normalized characters into words (BertPreTokenizer) and each word into the longest pieces from its start on:
 * `u n a f f a b l e` → `un`, `##aff`, `##able`. Keeps only the length of a word that is too long.
 */
export class Words implements CharacterSink {
  readonly #codePoints: Int32Array
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Pieces of the word: id, and the piece's last character + 1. */
  readonly #pieces: Int32Array
  #length = 0
  #start = 0
  #end = 0

  constructor(
    private readonly model: WordPieceModel,
    private readonly ids: IdSink,
    /** Whether the pieces' ranges are wanted. */
    private readonly ranges: boolean,
  ) {
    this.#codePoints = new Int32Array(model.maxCharactersPerWord)
    this.#starts = new Int32Array(ranges ? model.maxCharactersPerWord : 0)
    this.#ends = new Int32Array(ranges ? model.maxCharactersPerWord : 0)
    this.#pieces = new Int32Array(2 * model.maxCharactersPerWord)
  }

  add(codePoint: number, kind: number, start: number, end: number): void {
    if (kind !== Kind.word) {
      this.endWord()
      if (kind === Kind.space) return
    }
    const length = this.#length++
    if (length === 0) this.#start = start
    this.#end = end
    if (length < this.#codePoints.length) {
      this.#codePoints[length] = codePoint
      if (this.ranges) {
        this.#starts[length] = start
        this.#ends[length] = end
      }
    }
    if (kind === Kind.punctuation) this.endWord()
  }

  /** Ends the word: gives its ids. */
  endWord(): void {
    const length = this.#length
    if (length === 0) return
    this.#length = 0
    const count = length > this.#codePoints.length ? 0 : this.#cut(length)
    if (count === 0) this.ids.push(this.model.unknownId, this.#start, this.#end)
    for (let i = 0, start = 0; i < count; i++) {
      const end = this.#pieces[2 * i + 1]!
      if (this.ranges) this.ids.push(this.#pieces[2 * i]!, this.#starts[start]!, this.#ends[end - 1]!)
      else this.ids.push(this.#pieces[2 * i]!, 0, 0)
      start = end
    }
  }

  /** Cuts the word into pieces; returns their number, 0 if the vocabulary cannot make the word. */
  #cut(length: number): number {
    const { slots, pieces, continuation } = this.model.trie
    let count = 0
    for (let start = 0; start < length; count++) {
      let longest = start
      let id = -1
      for (let at = start, node = start === 0 ? 0 : continuation; at < length; ) {
        node = childOf(slots, node, this.#codePoints[at++]!)
        if (node < 0) break
        const piece = pieces[node]!
        if (piece < 0) continue
        id = piece
        longest = at
      }
      if (id < 0) return 0
      this.#pieces[2 * count] = id
      this.#pieces[2 * count + 1] = longest
      start = longest
    }
    return count
  }
}

/** Most ids of one step of a stream. */
const CAPACITY = 16_384

/** The ids of one step, with each id's bytes in the original text: start, end, start, end … */
export class IdBatch implements IdSink {
  length = 0
  readonly ids = new Int32Array(CAPACITY)
  readonly ranges = new Int32Array(2 * CAPACITY)

  push(id: number, start: number, end: number): void {
    const at = this.length++
    this.ids[at] = id
    this.ranges[2 * at] = start
    this.ranges[2 * at + 1] = end
  }

  /** Appends the ids, and their ranges if wanted, to a list. */
  appendTo(ids: TokenBuffer, withRanges: boolean): void {
    ids.append(this.ids.subarray(0, this.length))
    if (!withRanges) return
    ids.ranges ??= new TokenBuffer()
    ids.ranges.append(this.ranges.subarray(0, 2 * this.length))
  }
}
