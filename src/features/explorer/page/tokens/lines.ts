import type { Places } from './places.js'

/**
 * Lines of at most `columns` characters, none torn within a token: the first token of each line, and at the end the
 * number of tokens. A hundred thousand tokens take some milliseconds.
 */
export function linesOf(text: string, { chars }: Places, columns: number): Int32Array {
  const tokens = chars.length - 1
  const lines: number[] = [0]
  let used = 0
  for (let token = 0; token < tokens; token++) {
    const width = Math.max(1, widthOf(text, chars[token], chars[token + 1]))
    if (used > 0 && used + width > columns) {
      lines.push(token)
      used = 0
    }
    used += width
  }
  lines.push(tokens)
  return Int32Array.from(lines)
}

/** Columns that a part of the text takes: two for what lies beyond the alphabets of the first planes. */
function widthOf(text: string, from: number, to: number): number {
  let width = 0
  for (let index = from; index < to; index++) width += text.charCodeAt(index) < 0x1100 ? 1 : 2
  return width
}

/** The line that a token stands in, by bisection. */
export function lineOf(lines: Int32Array, token: number): number {
  let low = 0
  let high = lines.length - 2
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (lines[middle] <= token) low = middle
    else high = middle - 1
  }
  return low
}
