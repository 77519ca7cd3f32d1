import { InletError } from '../errors.js'
import { type Steps, waitFor } from '../steps.js'
import { absentTokenizer } from '../tokens/absent-tokenizer.js'
import { bytePairTokenizer } from '../tokens/byte-pair/byte-pair-tokenizer.js'
import { OpenTokenizer } from '../tokens/rust/open-tokenizer.js'
import type { RustClient } from '../tokens/rust/rust-client.js'
import { RustTokenizer } from '../tokens/rust/rust-tokenizer.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import { WordPieceTokenizer } from '../tokens/wordpiece/wordpiece-tokenizer.js'
import type { TokenizerCard } from './model-card.js'

/**
 * Makes the tokenizer of a folder's model, in this thread. If the Rust library refuses the file, the result is an absent
 * tokenizer: the model serves ids.
 *
 * @param rust connects to the Rust library, called when the model needs it
 */
export function* cardTokenizer(
  card: Exclude<TokenizerCard, { type: 'tiktoken' | 'none' }>,
  rust: () => RustClient,
): Steps<Tokenizer> {
  if (card.type === 'byte_pair') return yield* bytePairTokenizer(card.spec)
  if (card.type === 'wordpiece') return new WordPieceTokenizer(card.spec)
  const open = new OpenTokenizer(rust(), card.key, card.json)
  try {
    yield* waitFor(open.open())
  } catch (error) {
    if (error instanceof InletError && error.code === 'model_failed') return absentTokenizer(error.message)
    throw error // not the file's fault: the next request tries again
  }
  return new RustTokenizer(open, card.spec)
}
