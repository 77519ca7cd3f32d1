import type { AddedToken } from '../added-token.js'
import type { SpecialTemplate } from '../special-template.js'
import type { TokenStrings } from '../token-strings.js'
import type { BertNormalization } from './normalization-table.js'
import type { PieceTrie } from './piece-trie.js'

/** How ids become text: pieces without `prefix` are set apart by blanks; undefined: all are. */
export interface WordPieceDecoder {
  readonly prefix: string
  /** Whether the blank before punctuation and in English contractions goes. */
  readonly cleanup: boolean
}

/** A WordPiece tokenizer as plain data; what is large lies in shared memory, so that threads use one copy. */
export interface WordPieceSpec {
  /** Undefined: the text is taken as it is. */
  readonly normalization: BertNormalization | undefined
  readonly trie: PieceTrie
  /** Id of a word that the vocabulary cannot make. */
  readonly unknownId: number
  /** A word of more characters is unknown. */
  readonly maxCharactersPerWord: number
  readonly addedTokens: readonly AddedToken[]
  readonly template: SpecialTemplate
  readonly strings: TokenStrings
  readonly decoder: WordPieceDecoder | undefined
  readonly endOfText: number | undefined
}
