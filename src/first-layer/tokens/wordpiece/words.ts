import type { CharacterSink, Kind } from './normalization.js'
import { childOf, type PieceTrie } from './piece-trie.js'

/** WordPiece as tokenizer.json describes it. */
export interface WordPieceModel {
  readonly trie: PieceTrie
  /** Id of a word that the vocabulary cannot make. */
  readonly unknownId: number
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
    private readonly ids: IdSink,
  ) {}

  add(codePoint: number, kind: Kind, start: number, end: number): void {
    if (kind !== 'word') this.end()
    if (kind === 'space') return
    const length = this.#length++
    this.#end = end
    if (length < this.model.maxCharactersPerWord) {
      this.#codePoints[length] = codePoint
      this.#starts[length] = start
      this.#ends[length] = end
    }
    if (kind === 'punctuation') this.end()
  }

  /** Ends the word: gives its ids. */
  end(): void {
    const length = this.#length
    if (length === 0) return
    this.#length = 0
    const count = length > this.model.maxCharactersPerWord ? 0 : this.#cut(length)
    if (count === 0) this.ids.push(this.model.unknownId, this.#starts[0]!, this.#end)
    for (let i = 0, start = 0; i < count; i++) {
      const end = this.#pieces[2 * i + 1]!
      this.ids.push(this.#pieces[2 * i]!, this.#starts[start]!, this.#ends[end - 1]!)
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
        if (pieces[node]! < 0) continue
        id = pieces[node]!
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
