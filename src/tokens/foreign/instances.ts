import type tokenizers from 'tokenizers'
import type { Library } from './library.js'
import { withoutLiterals } from './without-literals.js'

/** Tokenizers kept beside the one that allows all special tokens: each holds the vocabulary once more. */
const MOST_VARIANTS = 4

/** The library's tokenizers of one file: one for each set of forbidden literals, of which the last used are kept. */
export class Instances {
  readonly whole: tokenizers.Tokenizer
  readonly #variants = new Map<string, tokenizers.Tokenizer>()

  /** @throws Error of the library for a file that it cannot use */
  constructor(
    private readonly library: Library,
    private readonly json: string,
  ) {
    this.whole = this.#make(json)
  }

  /** The tokenizer for which the literals of `forbidden` are ordinary text. */
  without(forbidden: readonly string[]): tokenizers.Tokenizer {
    if (forbidden.length === 0) return this.whole
    const key = JSON.stringify([...forbidden].sort())
    const variant = this.#variants.get(key) ?? this.#make(withoutLiterals(this.json, forbidden))
    this.#variants.delete(key)
    this.#variants.set(key, variant)
    const [oldest] = this.#variants.keys()
    if (this.#variants.size > MOST_VARIANTS) this.#variants.delete(oldest!)
    return variant
  }

  #make(json: string): tokenizers.Tokenizer {
    return this.library.Tokenizer.fromString(json)
  }
}
