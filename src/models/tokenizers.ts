import { absentTokenizer } from '../tokens/absent-tokenizer.js'
import { bytePairTokenizer } from '../tokens/byte-pair/byte-pair-tokenizer.js'
import { loadEncoding } from '../tokens/encoding.js'
import type { ForeignClient } from '../tokens/foreign/foreign-client.js'
import { ForeignTokenizer } from '../tokens/foreign/foreign-tokenizer.js'
import type { EncodingName } from '../tokens/registry.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import { WordPieceTokenizer } from '../tokens/wordpiece/wordpiece-tokenizer.js'
import type { ModelCard, TokenizerCard } from './model-card.js'

/** What gives the tokenizer of a model's card, in this thread. */
export type TokenizerOf = (card: ModelCard) => Promise<Tokenizer>

/** The tokenizers of one thread, each made when it is first asked for. */
export class Tokenizers {
  readonly #made = new Map<string, Promise<Tokenizer>>()

  /** @param foreign the way to the thread of the Rust library, asked for when a model needs it */
  constructor(private readonly foreign: () => ForeignClient) {}

  /** Where the library refuses the model's file, the model has no tokenizer: it serves ids. */
  of({ tokenizer: card }: ModelCard): Promise<Tokenizer> {
    if (card.type === 'tiktoken') return loadEncoding(card.encoding as EncodingName)
    if (card.type === 'none') return Promise.resolve(absentTokenizer(card.reason))
    let made = this.#made.get(card.key)
    if (made === undefined) {
      made = this.#make(card)
      this.#made.set(card.key, made)
      made.catch(() => this.#made.delete(card.key))
    }
    return made
  }

  async #make(card: Extract<TokenizerCard, { key: string }>): Promise<Tokenizer> {
    if (card.type === 'byte_pair') return bytePairTokenizer(card.spec)
    if (card.type === 'wordpiece') return new WordPieceTokenizer(card.spec)
    const client = this.foreign()
    try {
      await client.open(card.key, card.json)
    } catch (error) {
      return absentTokenizer((error as Error).message)
    }
    return new ForeignTokenizer(client, card.key, card.spec)
  }
}
