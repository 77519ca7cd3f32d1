import { InletError } from '../errors.js'
import { bytePairTokenizer } from '../tokens/byte-pair/byte-pair-tokenizer.js'
import { loadEncoding } from '../tokens/encoding.js'
import type { EncodingName } from '../tokens/encodings.js'
import type { TokenizerLibrary } from '../tokens/rust/rust-library.js'
import { rustTokenizer } from '../tokens/rust/rust-tokenizer.js'
import { absentTokenizer, type Tokenizer } from '../tokens/tokenizer.js'
import { wordPieceTokenizer } from '../tokens/wordpiece/wordpiece-tokenizer.js'
import type { ModelCard, TokenizerCard } from './model-card.js'

export type TokenizerOf = (card: ModelCard) => Promise<Tokenizer>

export class Tokenizers {
  readonly #made = new Map<string, Promise<Tokenizer>>()

  constructor(
    private readonly rust: TokenizerLibrary,
    /** Called between two slices of the making of one. */
    private readonly pause?: () => Promise<void> | undefined,
  ) {}

  /** If the library refuses the model's file, returns an absent tokenizer: the model serves ids. */
  of({ tokenizer: card }: Pick<ModelCard, 'tokenizer'>): Promise<Tokenizer> {
    if (card.type === 'tiktoken') return loadEncoding(card.encoding as EncodingName, this.pause)
    if (card.type === 'none') return Promise.resolve(absentTokenizer(card.reason))
    const known = this.#made.get(card.key)
    if (known !== undefined) return known
    const made = cardTokenizer(card, this.rust, this.pause)
    this.#made.set(card.key, made)
    made.catch(() => this.#made.get(card.key) === made && this.#made.delete(card.key))
    return made
  }

  keepOnly(cards: Iterable<Pick<ModelCard, 'tokenizer'>>): void {
    const kept = new Set<string>()
    for (const { tokenizer } of cards) if ('key' in tokenizer) kept.add(tokenizer.key)
    for (const key of this.#made.keys()) if (!kept.has(key)) this.#made.delete(key)
  }
}

/**
 * Makes the tokenizer of a folder's model, in this thread. If the Rust library refuses the file, the result is an absent
 * tokenizer: the model serves ids. What else happens to the library is told by the texts that it happens to.
 */
export async function cardTokenizer(
  card: Exclude<TokenizerCard, { type: 'tiktoken' | 'none' }>,
  rust: TokenizerLibrary,
  pause?: () => Promise<void> | undefined,
): Promise<Tokenizer> {
  if (card.type === 'byte_pair') return bytePairTokenizer(card.spec, pause)
  if (card.type === 'wordpiece') return wordPieceTokenizer(card.spec)
  try {
    await rust.run({ type: 'open', file: card })
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    if (error.code === 'model_failed') return absentTokenizer(error.message)
  }
  const { encoder } = card.spec
  return rustTokenizer(rust, card, card.spec, encoder && (await bytePairTokenizer(encoder, pause)))
}
