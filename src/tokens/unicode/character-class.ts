import { CLASS_RUNS } from './unicode-classes.js'

/** What tiktoken's patterns can ask of a character; each character has one class. */
export const CharacterClass = {
  other: 0, // none of the below: punctuation, symbols, controls, unassigned
  upper: 1, // Lu, Lt
  lower: 2, // Ll
  caseless: 3, // Lm, Lo
  mark: 4, // M
  number: 5, // N
  space: 6, // White_Space without CR and LF
  newline: 7, // CR, LF
} as const

const PAGE_BITS = 8
const PAGE_SIZE = 1 << PAGE_BITS
const CODE_POINTS = 0x110000

/** Two-level table: the class of code point c is `pages[index[c >> 8] * 256 + (c & 255)]`. */
export interface ClassTable {
  readonly index: Uint8Array
  readonly pages: Uint8Array
}

let table: ClassTable | undefined

/** The frozen classes of all code points; unpacked once, equal pages stored once (about 50 KB). */
export function classTable(): ClassTable {
  table ??= unpack()
  return table
}

/** The class of one code point: `classOf(0x41)` → `CharacterClass.upper`. */
export function classOf(codePoint: number): number {
  const { index, pages } = classTable()
  return pages[(index[codePoint >> PAGE_BITS]! << PAGE_BITS) | (codePoint & (PAGE_SIZE - 1))]!
}

function unpack(): ClassTable {
  const all = new Uint8Array(CODE_POINTS)
  let position = 0
  let value = 0
  let shift = 0
  for (const byte of Buffer.from(CLASS_RUNS, 'base64')) {
    value |= (byte & 127) << shift
    shift += 7
    if (byte > 127) continue
    all.fill(value & 7, position, position + (value >> 3))
    position += value >> 3
    value = shift = 0
  }
  if (position !== CODE_POINTS) throw new Error(`the class table ends at ${position}, not at ${CODE_POINTS}`)

  const index = new Uint8Array(CODE_POINTS >> PAGE_BITS)
  const pages: Uint8Array[] = []
  const numberOf = new Map<string, number>()
  for (let page = 0; page < index.length; page++) {
    const bytes = all.subarray(page << PAGE_BITS, (page + 1) << PAGE_BITS)
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, PAGE_SIZE).toString('latin1')
    let number = numberOf.get(key)
    if (number === undefined) {
      number = pages.push(bytes) - 1
      numberOf.set(key, number)
    }
    index[page] = number
  }
  const joined = new Uint8Array(pages.length * PAGE_SIZE)
  pages.forEach((bytes, number) => {
    joined.set(bytes, number * PAGE_SIZE)
  })
  return { index, pages: joined }
}
