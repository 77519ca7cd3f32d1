import type tokenizers from 'tokenizers'
import type { Library } from './library.js'
import { normalizedLiterals, withoutLiterals } from './without-literals.js'

/** Tokenizers kept beside the one that allows all special tokens: each holds the vocabulary once more. */
const MOST_VARIANTS = 4

/** The library's tokenizers of one file: one for each set of forbidden literals, of which the last used are kept. */
export class Instances {
  readonly whole: tokenizers.Tokenizer
  readonly #variants = new Map<string, tokenizers.Tokenizer>()
  #normalized: ReadonlySet<string> | undefined

  /** @throws Error of the library for a file that it cannot use */
  constructor(
    private readonly library: Library,
    private readonly json: string,
  ) {
    this.whole = this.#make(json)
  }

  /**
   * A tokenizer for which the literals of `forbidden` are ordinary text of this text. To make one takes as long as to
   * open the file, so it is made for those literals alone that the library may find in the text.
   */
  without(forbidden: readonly string[], text: string): tokenizers.Tokenizer {
    if (forbidden.length === 0) return this.whole
    this.#normalized ??= normalizedLiterals(this.json)
    const found = forbidden.filter((literal) => this.#normalized!.has(literal) || text.includes(literal))
    if (found.length === 0) return this.whole
    const key = JSON.stringify(found.sort())
    const variant = this.#variants.get(key) ?? this.#make(withoutLiterals(this.json, found))
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
