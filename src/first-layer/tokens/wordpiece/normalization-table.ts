import { Bit, type CharacterFacts, characterFacts } from './unicode/character-facts.js'

/** BertNormalizer as tokenizer.json writes it, with `strip_accents: null` resolved to `lowercase`. */
export interface BertNormalization {
  readonly cleanText: boolean
  readonly handleChineseChars: boolean
  readonly stripAccents: boolean
  readonly lowercase: boolean
}

/** No normalizer: the text as it came. */
export const UNCHANGED: BertNormalization = {
  cleanText: false,
  handleChineseChars: false,
  stripAccents: false,
  lowercase: false,
}

/** The kinds of normalized characters: BertPreTokenizer's three, and those that are not one character. */
export const Kind = {
  word: 0,
  space: 1,
  punctuation: 2,
  /** `clean_text` removed it. */
  none: 3,
  /** Several characters, or one that may be sorted among its neighbours: see `NormalizationTable.items`. */
  list: 4,
  /** A Chinese character with a blank before and behind it. */
  spaced: 5,
} as const

const PAGE_BITS = 8
const PAGE_SIZE = 1 << PAGE_BITS
const KIND_BITS = 3
/** Replaces all white space under `clean_text`, and surrounds Chinese characters. */
export const SPACE = 0x20
/** An entry that has not been computed. */
const UNKNOWN = -1

/** `handle_chinese_chars`: the ranges of the library, last one included. */
const CHINESE = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
] as const

/** One character of a list: `entry` as in a page; `order` > 0 for a nonstarter; `isAdded`: not the list's first. */
export interface ListItem {
  readonly entry: number
  readonly order: number
  readonly isAdded: boolean
}

/** `entry & KIND_MASK` is an entry's kind, `entry >> KIND_SHIFT` its code point or its list's number. */
export const KIND_MASK = (1 << KIND_BITS) - 1
export const KIND_SHIFT = KIND_BITS

/** BertNormalizer and the classes of BertPreTokenizer in one table, whose entries are computed at first use. */
export class NormalizationTable {
  readonly #pages: (Int32Array | undefined)[] = new Array(0x110000 >> PAGE_BITS).fill(undefined)
  readonly #facts: CharacterFacts = characterFacts()
  readonly #lists: (readonly ListItem[])[] = []

  /** The entries of ASCII, for callers that avoid a call of `entryOf`. */
  readonly asciiEntries: Int32Array

  constructor(private readonly normalization: BertNormalization) {
    this.asciiEntries = Int32Array.from({ length: 128 }, (_, codePoint) => this.#makeEntry(codePoint))
  }

  /** The entry of a code point: `A` → `a` of kind word, under `lowercase`. */
  entryOf(codePoint: number): number {
    const page = this.#pages[codePoint >> PAGE_BITS]
    const found = page === undefined ? UNKNOWN : page[codePoint & (PAGE_SIZE - 1)]!
    return found === UNKNOWN ? this.#learn(codePoint) : found
  }

  /** The characters of an entry of kind list. */
  items(entry: number): readonly ListItem[] {
    return this.#lists[entry >> KIND_SHIFT]!
  }

  /** Whether `\w` matches a code point, before normalization or after it. */
  isWordCharacter(codePoint: number): boolean {
    return (this.#facts.bitsOf(codePoint) & Bit.word) !== 0
  }

  /** Whether `\s` matches a code point. */
  isSpace(codePoint: number): boolean {
    return (this.#facts.bitsOf(codePoint) & Bit.space) !== 0
  }

  #learn(codePoint: number): number {
    const number = codePoint >> PAGE_BITS
    this.#pages[number] ??= new Int32Array(PAGE_SIZE).fill(UNKNOWN)
    const made = this.#makeEntry(codePoint)
    this.#pages[number][codePoint & (PAGE_SIZE - 1)] = made
    return made
  }

  #makeEntry(codePoint: number): number {
    const { cleanText, handleChineseChars } = this.normalization
    if (cleanText) {
      if ((this.#facts.bitsOf(codePoint) & Bit.control) !== 0) return Kind.none
      if (this.isSpace(codePoint)) return entry(SPACE, Kind.space)
    }
    const items = this.#items(codePoint)
    const [first] = items
    if (handleChineseChars && CHINESE.some(([from, to]) => codePoint >= from && codePoint <= to))
      return entry(first!.entry >> KIND_SHIFT, Kind.spaced) // each of them decomposes to one, a word character
    if (items.length > 1 || first!.order > 0 || (first!.entry & KIND_MASK) === Kind.none)
      return this.#list(items)
    return first!.entry
  }

  /** The result of NFD, removal of accents and lowercase for one character. */
  #items(codePoint: number): ListItem[] {
    const { stripAccents, lowercase } = this.normalization
    const facts = this.#facts
    const whole = stripAccents ? facts.decompositionOf(codePoint) : [codePoint]
    return whole.flatMap((part, i) => {
      const isRemoved = stripAccents && (facts.bitsOf(part) & Bit.mark) !== 0
      const order = stripAccents ? facts.combiningOrderOf(part) : 0
      if (isRemoved) return { entry: Kind.none, order, isAdded: i > 0 }
      const lowered = lowercase ? facts.lowercaseOf(part) : [part]
      return lowered.map((character, j) => {
        return { entry: entry(character, this.#kindOf(character)), order, isAdded: i + j > 0 }
      })
    })
  }

  #kindOf(codePoint: number): number {
    const bits = this.#facts.bitsOf(codePoint)
    if ((bits & Bit.space) !== 0) return Kind.space
    return (bits & Bit.punctuation) !== 0 ? Kind.punctuation : Kind.word
  }

  #list(items: readonly ListItem[]): number {
    return entry(this.#lists.push(items) - 1, Kind.list)
  }
}

function entry(value: number, kind: number): number {
  return (value << KIND_SHIFT) | kind
}
