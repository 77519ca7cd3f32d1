import { builtFile } from '../../package-file.js'

/** The frozen tables of Unicode's facts; `tables/README.md` lists the numbers of each. */
export type UnicodeTable =
  | 'categories'
  | 'rust-classes'
  | 'rust-combining-orders'
  | 'rust-decompositions'
  | 'rust-lowercase'

/** Reads the numbers of `dist/unicode/NAME.leb128`, which the build copies from `tables/`. */
export function readUnicodeTable(name: UnicodeTable): number[] {
  return numbersOf(builtFile(`unicode/${name}.leb128`))
}

/**
 * Decodes unsigned LEB128: seven bits a byte, the lowest first; the high bit means that more follow.
 * `numbersOf([0x05, 0xac, 0x02])` → `[5, 300]`. Each number is below 2³¹.
 */
export function numbersOf(bytes: Iterable<number>): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const byte of bytes) {
    value |= (byte & 127) << shift
    shift += 7
    if (byte > 127) continue
    numbers.push(value)
    value = shift = 0
  }
  return numbers
}
