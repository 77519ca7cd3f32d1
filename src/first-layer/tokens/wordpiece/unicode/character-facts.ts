import { readUnicodeTable, type UnicodeTable } from '../../unicode/unicode-table.js'

/** Facts of one code point, as bits. */
export const Bit = {
  /** Control, format, private use or unassigned, U+0000 or U+FFFD: BertNormalizer's `clean_text` removes it. */
  control: 1,
  /** Mn: removed with accents. */
  mark: 2,
  /** BertPreTokenizer makes it a separate word. */
  punctuation: 4,
  /** `\w` of the regular expressions that look around added tokens. */
  word: 8,
  space: 16,
} as const

const HANGUL = {
  first: 0xac00,
  last: 0xd7a3,
  lead: 0x1100,
  vowel: 0x1161,
  tail: 0x11a7,
  vowels: 21,
  tails: 28,
}
const BITS = 5

/** Facts of characters by the Rust library: its answers, frozen by generate.mjs. */
class CharacterFacts {
  readonly #bits = new Uint8Array(0x110000)
  readonly #orders = new Map<number, number>()
  readonly #decompositions = readLists('rust-decompositions')
  readonly #lowercase = readLists('rust-lowercase')
  /** Characters that are a later part of a decomposition. */
  #seconds: ReadonlySet<number> | undefined

  constructor() {
    let start = 0
    for (const run of readUnicodeTable('rust-classes')) {
      const end = start + (run >>> BITS)
      this.#bits.fill(run & ((1 << BITS) - 1), start, end)
      start = end
    }
    const numbers = readUnicodeTable('rust-combining-orders')
    for (let i = 0, codePoint = 0; i < numbers.length; i += 2) {
      codePoint += numbers[i]
      this.#orders.set(codePoint, numbers[i + 1])
    }
  }

  /** Bits of one code point: `bitsOf(0x2e)` → `Bit.punctuation`. */
  bitsOf(codePoint: number): number {
    return this.#bits[codePoint]
  }

  /** The rank of its combining class among all classes; 0: a starter. */
  combiningOrderOf(codePoint: number): number {
    return this.#orders.get(codePoint) ?? 0
  }

  /** The full canonical decomposition: U+00E9 → [U+0065, U+0301]. */
  decompositionOf(codePoint: number): readonly number[] {
    if (codePoint >= HANGUL.first && codePoint <= HANGUL.last) return jamosOf(codePoint - HANGUL.first)
    return this.#decompositions.get(codePoint) ?? [codePoint]
  }

  /** Whether a starter may compose with the character before it, as vowels and tails of Hangul do. */
  mayCompose(codePoint: number): boolean {
    if (codePoint >= HANGUL.vowel && codePoint < HANGUL.tail + HANGUL.tails) return true
    this.#seconds ??= new Set([...this.#decompositions.values()].flatMap((parts) => parts.slice(1)))
    return this.#seconds.has(codePoint)
  }

  /** Lowercase: one code point, except for U+0130. */
  lowercaseOf(codePoint: number): readonly number[] {
    return this.#lowercase.get(codePoint) ?? [codePoint]
  }
}

function jamosOf(syllable: number): number[] {
  const tail = syllable % HANGUL.tails
  const block = (syllable - tail) / HANGUL.tails
  const vowel = block % HANGUL.vowels
  const jamos = [HANGUL.lead + (block - vowel) / HANGUL.vowels, HANGUL.vowel + vowel]
  return tail === 0 ? jamos : [...jamos, HANGUL.tail + tail]
}

function readLists(name: UnicodeTable): Map<number, number[]> {
  const lists = new Map<number, number[]>()
  const numbers = readUnicodeTable(name)
  for (let i = 0, codePoint = 0; i < numbers.length; ) {
    codePoint += numbers[i]
    const count = numbers[i + 1]
    lists.set(codePoint, numbers.slice(i + 2, i + 2 + count))
    i += 2 + count
  }
  return lists
}

let facts: CharacterFacts | undefined

/** The facts, read and unpacked at first use (about 2 ms). */
export function characterFacts(): CharacterFacts {
  facts ??= new CharacterFacts()
  return facts
}
