import { readUnicodeTable } from './unicode-table.js'

/** The classes that tiktoken's patterns distinguish; each character has one. */
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

/** Low bits of a run, its class; the others are its length. */
const CLASS_BITS = 3
const PAGE_BITS = 8
const PAGE_SIZE = 1 << PAGE_BITS
const CODE_POINTS = 0x110000

/** Two-level table: the class of code point c is `pages[index[c >> 8] * 256 + (c & 255)]`. */
interface ClassTable {
  readonly index: Uint8Array
  readonly pages: Uint8Array
}

let table: ClassTable | undefined

/** The frozen classes of all code points; read and unpacked at first use, equal pages stored once (about 50 KB). */
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
  const index = new Uint8Array(CODE_POINTS >> PAGE_BITS)
  const pages: Uint8Array[] = []
  const numberOf = new Map<string, number>()
  const current = new Uint8Array(PAGE_SIZE)
  let position = 0
  for (const run of readUnicodeTable('character-classes')) {
    const value = run & ((1 << CLASS_BITS) - 1)
    const end = position + (run >> CLASS_BITS)
    while (position < end) {
      const offset = position & (PAGE_SIZE - 1)
      const count = Math.min(end - position, PAGE_SIZE - offset)
      if (count < PAGE_SIZE) current.fill(value, offset, offset + count)
      position += count
      if (offset + count < PAGE_SIZE) break
      // Most pages have one class, which serves as their key.
      const key = count === PAGE_SIZE ? String(value) : Buffer.from(current).toString('latin1')
      let number = numberOf.get(key)
      if (number === undefined) {
        number = pages.push(count === PAGE_SIZE ? new Uint8Array(PAGE_SIZE).fill(value) : current.slice()) - 1
        numberOf.set(key, number)
      }
      index[(position - 1) >> PAGE_BITS] = number
    }
  }
  if (position !== CODE_POINTS) throw new Error(`the class table ends at ${position}, not at ${CODE_POINTS}`)
  const joined = new Uint8Array(pages.length * PAGE_SIZE)
  pages.forEach((bytes, number) => {
    joined.set(bytes, number * PAGE_SIZE)
  })
  return { index, pages: joined }
}
