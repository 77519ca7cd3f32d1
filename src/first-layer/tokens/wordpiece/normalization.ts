import { Bit, characterFacts } from './unicode/character-facts.js'

/** BertNormalizer as tokenizer.json writes it. */
export interface BertNormalization {
  readonly clean_text: boolean
  readonly handle_chinese_chars: boolean
  /** Absent: as `lowercase`. */
  readonly strip_accents?: boolean | null | undefined
  readonly lowercase: boolean
}

/** No normalizer: the text as it came. */
export const UNCHANGED = {
  type: 'BertNormalizer',
  clean_text: false,
  handle_chinese_chars: false,
  lowercase: false,
}

/** Takes the characters of a text in turn, each with its bytes [start, end) in the original text. */
export interface CharacterSink {
  add(codePoint: number, start: number, end: number): void
  /** An added token follows, or the text ends. */
  end(): void
}

/** A character of another's normal form: `É` → `e`, and an accent that is removed. */
interface Part {
  readonly codePoint: number
  readonly isRemoved: boolean
  /** Place of its combining class; 0: a starter. */
  readonly order: number
  /** Not the first part of its character. */
  readonly isAdded: boolean
}

/** Replaces all white space under `clean_text`, and surrounds Chinese characters. */
const SPACE = 0x20

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

/** Characters whose parts a table keeps: more than a text has, fewer than a hostile one can name. */
const MAX_KEPT = 20_000
/** Combining marks in a row that are sorted together. A longer row is sorted in parts. */
const MAX_MARKS_IN_A_ROW = 4096

/** BertNormalizer and the classes of BertPreTokenizer, character by character. */
export class NormalizationTable {
  readonly #facts = characterFacts()
  readonly #kept = new Map<number, readonly Part[]>()

  constructor(private readonly normalization: BertNormalization) {}

  has(codePoint: number, bit: number): boolean {
    return (this.#facts.bitsOf(codePoint) & bit) !== 0
  }

  partsOf(codePoint: number): readonly Part[] {
    let parts = this.#kept.get(codePoint)
    if (parts === undefined) {
      if (this.#kept.size === MAX_KEPT) this.#kept.clear()
      parts = this.#makeParts(codePoint)
      this.#kept.set(codePoint, parts)
    }
    return parts
  }

  #makeParts(codePoint: number): readonly Part[] {
    const { clean_text: cleans, handle_chinese_chars: spaces, lowercase } = this.normalization
    const strips = this.normalization.strip_accents ?? lowercase
    const facts = this.#facts
    const space: Part = { codePoint: SPACE, isRemoved: false, order: 0, isAdded: false }
    if (cleans && this.has(codePoint, Bit.control)) return []
    if (cleans && this.has(codePoint, Bit.space)) return [space]
    const decomposed = strips ? facts.decompositionOf(codePoint) : [codePoint]
    const parts = decomposed.flatMap((part, i): Part[] => {
      const order = strips ? facts.combiningOrderOf(part) : 0
      const isRemoved = strips && this.has(part, Bit.mark)
      const lowered = lowercase && !isRemoved ? facts.lowercaseOf(part) : [part]
      return lowered.map((lower, j) => ({ codePoint: lower, isRemoved, order, isAdded: i + j > 0 }))
    })
    if (!spaces || !CHINESE.some(([from, to]) => codePoint >= from && codePoint <= to)) return parts
    const added = [...parts, space].map((part) => ({ ...part, isAdded: true }))
    return [space, ...added]
  }
}

/**
 * BertNormalizer over one piece of text: `É中` → `e` [0, 2), ` ` `中` ` ` [2, 5).
 *
 * Ranges equal the library's: a decomposed character's first part has the next original character's range, its other parts
 * the range of the part before them. Sorting combining marks does not move ranges.
 */
export class Normalizer implements CharacterSink {
  #marks: { readonly part: Part; readonly start: number; readonly end: number }[] = []
  /** The range of the part before. */
  #start = 0
  #end = 0

  constructor(
    private readonly table: NormalizationTable,
    private readonly sink: CharacterSink,
  ) {}

  add(codePoint: number, start: number, end: number): void {
    for (const part of this.table.partsOf(codePoint)) {
      if (part.order > 0) {
        this.#marks.push({ part, start, end })
        if (this.#marks.length === MAX_MARKS_IN_A_ROW) this.#sortMarks()
      } else {
        if (this.#marks.length > 0) this.#sortMarks()
        this.#give(part, start, end)
      }
    }
  }

  end(): void {
    this.#sortMarks()
    this.sink.end()
  }

  #sortMarks(): void {
    const ranges = this.#marks.filter(({ part }) => !part.isAdded).values()
    for (const { part } of this.#marks.sort((a, b) => a.part.order - b.part.order)) {
      const { start, end } = part.isAdded ? { start: 0, end: 0 } : ranges.next().value!
      this.#give(part, start, end)
    }
    this.#marks = []
  }

  #give({ codePoint, isRemoved, isAdded }: Part, start: number, end: number): void {
    if (!isAdded) {
      this.#start = start
      this.#end = end
    }
    if (!isRemoved) this.sink.add(codePoint, this.#start, this.#end)
  }
}

/** A short text, normalized: `É` → `e` if accents are removed. */
export function normalizedText(table: NormalizationTable, text: string): string {
  let normalized = ''
  const add = (codePoint: number) => {
    normalized += String.fromCodePoint(codePoint)
  }
  const normalizer = new Normalizer(table, { add, end: () => {} })
  for (const character of text) normalizer.add(character.codePointAt(0)!, 0, 0)
  normalizer.end()
  return normalized
}
