import { KIND_MASK, KIND_SHIFT, Kind, type NormalizationTable } from './normalization-table.js'
import { Normalizer } from './normalizer.js'

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
