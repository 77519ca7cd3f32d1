import type { AddedToken } from '../added-token.js'
import type { SpecialTemplate } from '../special-template.js'
import type { TokenStrings } from '../token-strings.js'
import type { BertNormalization } from './normalization-table.js'
import type { PieceTrie } from './piece-trie.js'

/** The rules for turning ids into text: a blank goes before each piece that does not begin with `prefix`. */
export interface WordPieceDecoder {
  readonly prefix: string
  /** Removes the blank before punctuation and in English contractions. */
  readonly cleanup: boolean
}

/** A WordPiece tokenizer as plain data; its large parts lie in shared memory, so that threads use one copy. */
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
