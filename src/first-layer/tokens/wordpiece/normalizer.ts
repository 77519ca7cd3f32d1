import {
  KIND_MASK,
  KIND_SHIFT,
  Kind,
  type ListItem,
  type NormalizationTable,
  SPACE,
} from './normalization-table.js'

/** Takes normalized characters: code point, {@link Kind} (word, space or punctuation), bytes in the original text. */
export interface CharacterSink {
  add(codePoint: number, kind: number, start: number, end: number): void
}

/** Combining marks in a row that are sorted together. A longer row is sorted in parts. */
const MAX_MARKS_IN_A_ROW = 4096

/**
 * BertNormalizer over one piece of text, character by character: `É中` → `e` [0, 2), ` ` `中` ` ` [2, 5).
 *
 * Ranges equal the library's: a decomposed character's first part has the next original character's range, its other parts
 * the range of the part before them. Sorting combining marks does not move ranges.
 */
export class Normalizer {
  #marks: ListItem[] = []
  /** Ranges of the original characters, of which `#taken` numbers are used: start, end, start, end … */
  #ranges: number[] = []
  #taken = 0
  #start = 0
  #end = 0

  constructor(
    private readonly table: NormalizationTable,
    private readonly sink: CharacterSink,
  ) {}

  /** Whether combining marks wait to be sorted with those that follow. */
  get isWaiting(): boolean {
    return this.#marks.length > 0
  }

  /** Adds a character of kind list or spaced, whose bytes are [start, end). */
  addSpecial(entry: number, start: number, end: number): void {
    if ((entry & KIND_MASK) === Kind.list) {
      this.#addList(entry, start, end)
      return
    }
    this.flush()
    this.sink.add(SPACE, Kind.space, start, end)
    this.sink.add(entry >> KIND_SHIFT, Kind.word, start, end)
    this.sink.add(SPACE, Kind.space, start, end)
  }

  #addList(entry: number, start: number, end: number): void {
    for (const item of this.table.items(entry)) {
      if (!item.isAdded) this.#ranges.push(start, end)
      if (item.order === 0) {
        this.flush()
        this.#emit(item)
      } else {
        this.#marks.push(item)
        if (this.#marks.length >= MAX_MARKS_IN_A_ROW) this.flush()
      }
    }
  }

  /** Ends a row of combining marks. Call it before each character of another kind, and at the end of the text. */
  flush(): void {
    if (this.#marks.length === 0) return
    const marks = this.#marks.sort((a, b) => a.order - b.order)
    this.#marks = []
    for (const mark of marks) this.#emit(mark)
  }

  #emit({ entry, isAdded }: ListItem): void {
    if (!isAdded) {
      this.#start = this.#ranges[this.#taken]!
      this.#end = this.#ranges[this.#taken + 1]!
      this.#taken += 2
      if (this.#taken === this.#ranges.length) this.#taken = this.#ranges.length = 0
    }
    const kind = entry & KIND_MASK
    if (kind !== Kind.none) this.sink.add(entry >> KIND_SHIFT, kind, this.#start, this.#end)
  }
}

/** The code points of a short text, normalized: `É` → [0x65] if accents are removed. */
export function normalizedCodePoints(table: NormalizationTable, text: string): number[] {
  const codePoints: number[] = []
  const normalizer = new Normalizer(table, { add: (codePoint) => codePoints.push(codePoint) })
  for (const character of text) {
    const entry = table.entryOf(character.codePointAt(0)!)
    const kind = entry & KIND_MASK
    if (kind >= Kind.list) normalizer.addSpecial(entry, 0, 0)
    else if (kind !== Kind.none) {
      normalizer.flush()
      codePoints.push(entry >> KIND_SHIFT)
    }
  }
  normalizer.flush()
  return codePoints
}
