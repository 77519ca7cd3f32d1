/** A special token's literal found in a text: where it starts, how long it is in bytes and characters, which id it has. */
export interface SpecialMatch {
  readonly start: number
  readonly length: number
  readonly characters: number
  readonly id: number
}

/**
 * Finds the literals of allowed special tokens in UTF-8 bytes.
 *
 * With `<|endoftext|>` allowed, `a<|endoftext|>b` → `{ start: 1, length: 13, characters: 13, id: 50256 }`. No
 * literal is the beginning of another, so tiktoken too takes the literal that starts first.
 */
export class SpecialFinder {
  /** Bytes at the end of a text that may be the beginning of a literal whose rest has not come yet. */
  readonly overhang: number
  readonly #literals: { bytes: Buffer; characters: number; id: number }[]

  constructor(specialTokens: ReadonlyMap<string, number>, allowed: ReadonlySet<string>) {
    this.#literals = [...allowed].map((literal) => {
      const id = specialTokens.get(literal)
      if (id === undefined)
        throw new RangeError(`${JSON.stringify(literal)} is no special token of this encoding`)
      return { bytes: Buffer.from(literal), characters: [...literal].length, id }
    })
    this.overhang = Math.max(0, ...this.#literals.map(({ bytes }) => bytes.length - 1))
  }

  /** The first literal that lies wholly in `text[from …]`. */
  find(text: Buffer, from: number): SpecialMatch | undefined {
    let first: SpecialMatch | undefined
    for (const { bytes, characters, id } of this.#literals) {
      const start = text.indexOf(bytes, from)
      if (start >= 0 && (first === undefined || start < first.start))
        first = { start, length: bytes.length, characters, id }
    }
    return first
  }
}
