import type { NormalizationTable } from './normalization-table.js'
import { TextReader, type TextSink } from './text-reader.js'

/** The code points of a short text, normalized: `É` → [0x65] where accents go. */
export function normalizedCodePoints(table: NormalizationTable, text: string): number[] {
  const codePoints: number[] = []
  const sink: TextSink = {
    add: (codePoint) => codePoints.push(codePoint),
    end: () => {},
  }
  const utf8 = new TextEncoder().encode(text)
  const reader = new TextReader(table, undefined, sink, { push: () => {} })
  reader.read(utf8, 0, utf8.length, utf8.length, 0)
  reader.end()
  return codePoints
}
