import { InletError } from '../../errors.js'
import type { CharacterSink, NormalizationTable } from './normalization.js'
import { childOf, type PieceTrie } from './piece-trie.js'
import { Bit } from './unicode/character-facts.js'

/** WordPiece as tokenizer.json describes it. */
export interface WordPieceModel {
  readonly trie: PieceTrie
  /** Id of a word that the vocabulary cannot make. Undefined: the vocabulary has no token for it, and the text is refused. */
  readonly unknownId: number | undefined
  /** A word of more characters is unknown. */
  readonly maxCharactersPerWord: number
}

/** Takes ids, each with its bytes [start, end) in the original text. */
export interface IdSink {
  push(id: number, start: number, end: number): void
}

/**
 * Cuts normalized characters into words (BertPreTokenizer) and each word into the longest pieces from its start on:
 * `u n a f f a b l e` → `un`, `##aff`, `##able`. Keeps only the length of a word that is too long.
 */
export class Words implements CharacterSink {
  readonly #codePoints: number[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** Pieces of the word: id, and the piece's last character + 1. */
  readonly #pieces: number[] = []
  #length = 0
  #end = 0

  constructor(
    private readonly model: WordPieceModel,
    private readonly table: NormalizationTable,
    private readonly ids: IdSink,
  ) {}

  add(codePoint: number, start: number, end: number): void {
    const isSpace = this.table.has(codePoint, Bit.space)
    const isPunctuation = this.table.has(codePoint, Bit.punctuation)
    if (isSpace || isPunctuation) this.end()
    if (isSpace) return
    const length = this.#length++
    this.#end = end
    if (length < this.model.maxCharactersPerWord) {
      this.#codePoints[length] = codePoint
      this.#starts[length] = start
      this.#ends[length] = end
    }
    if (isPunctuation) this.end()
  }

  /** Ends the word: gives its ids. @throws InletError `tokenizer_unavailable`, as the Rust library does */
  end(): void {
    const length = this.#length
    if (length === 0) return
    this.#length = 0
    const count = length > this.model.maxCharactersPerWord ? 0 : this.#cut(length)
    if (count === 0) this.#pushUnknown()
    for (let i = 0, start = 0; i < count; i++) {
      const end = this.#pieces[2 * i + 1]
      this.ids.push(this.#pieces[2 * i], this.#starts[start], this.#ends[end - 1])
      start = end
    }
  }

  #pushUnknown(): void {
    const [start, end] = [this.#starts[0], this.#end]
    const { unknownId } = this.model
    if (unknownId === undefined) {
      const rule = 'must have words of the vocabulary alone, which has no token for unknown words'
      throw new InletError(
        'tokenizer_unavailable',
        `\`text\` ${rule}. Given: bytes ${start} to ${end}`,
        'text',
      )
    }
    this.ids.push(unknownId, start, end)
  }

  /** Cuts the word into pieces; returns their number, 0 if the vocabulary cannot make the word. */
  #cut(length: number): number {
    const { slots, pieces, continuation } = this.model.trie
    let count = 0
    for (let start = 0; start < length; count++) {
      let longest = start
      let id = -1
      for (let at = start, node = start === 0 ? 0 : continuation; at < length; ) {
        node = childOf(slots, node, this.#codePoints[at++])
        if (node < 0) break
        if (pieces[node] < 0) continue
        id = pieces[node]
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
