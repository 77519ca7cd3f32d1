import { InletError } from '../errors.js'
import { type Steps, waitFor } from '../steps.js'
import { absentTokenizer } from '../tokens/absent-tokenizer.js'
import { bytePairTokenizer } from '../tokens/byte-pair/byte-pair-tokenizer.js'
import type { TokenizerLibrary } from '../tokens/rust/rust-library.js'
import { RustTokenizer } from '../tokens/rust/rust-tokenizer.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import { WordPieceTokenizer } from '../tokens/wordpiece/wordpiece-tokenizer.js'
import type { TokenizerCard } from './model-card.js'

/**
 * Makes the tokenizer of a folder's model, in this thread. If the Rust library refuses the file, the result is an absent
 * tokenizer: the model serves ids. What else happens to the library is told by the texts that it happens to.
 */
export function* cardTokenizer(
  card: Exclude<TokenizerCard, { type: 'tiktoken' | 'none' }>,
  rust: TokenizerLibrary,
): Steps<Tokenizer> {
  if (card.type === 'byte_pair') return yield* bytePairTokenizer(card.spec)
  if (card.type === 'wordpiece') return new WordPieceTokenizer(card.spec)
  try {
    yield* waitFor(rust.run({ type: 'open', file: card }))
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    if (error.code === 'model_failed') return absentTokenizer(error.message)
  }
  return new RustTokenizer(rust, card, card.spec)
}
