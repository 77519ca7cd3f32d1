import { classOf } from './character-class.js'
import type { ScannerClass } from './twin-encoding.js'

/** The pieces of a text: `Gpt2Scanner`, `it's me` → `it`, `'s`, ` me`. */
export function piecesOf(scannerClass: ScannerClass, text: string): string[] {
  const pieces: string[] = []
  let start = 0
  const scanner = new scannerClass((end) => {
    pieces.push(text.slice(start, end))
    start = end
  })
  scanner.begin(0)
  let at = 0
  for (const character of text) {
    const codePoint = character.codePointAt(0)!
    scanner.push(classOf(codePoint), codePoint, at, at + character.length)
    at += character.length
  }
  scanner.finish(at)
  return pieces
}
