import type { AddedToken } from '../added-token.js'

/**
 * The first added token that one search through the original text cannot find; undefined: there is none. These are
 * - tokens that count as whole words only;
 * - tokens searched in normalized text, if the normalizer or a token searched before it could change their characters;
 * - tokens that begin or end with whitespace, if a token strips whitespace;
 * - tokens searched in normalized text that take the whitespace behind them along, if one searched before takes that before it.
 */
export function foundInAnotherPass(tokens: readonly AddedToken[], normalizes: boolean): string | undefined {
  const first = tokens.filter((t) => !t.normalized)
  const strips = tokens.some((t) => t.lstrip || t.rstrip)
  const stripsLeft = first.some((t) => t.lstrip)
  const other = tokens.find(
    (token) =>
      token.singleWord ||
      (strips && /^\s|\s$|^\u0085|\u0085$/.test(token.content)) ||
      (token.normalized &&
        // No normal form changes blanks, tabs and newlines, or makes them of other characters.
        ((normalizes && !/^[\t\n\r ]+$/.test(token.content)) ||
          (stripsLeft && token.rstrip) ||
          first.some(({ content }) => mayOverlap(token.content, content)))),
  )
  return other?.content
}

/** Whether the two literals can overlap in a text. */
function mayOverlap(a: string, b: string): boolean {
  if (a.includes(b) || b.includes(a)) return true
  for (let length = 1; length < Math.min(a.length, b.length); length++)
    if (a.endsWith(b.slice(0, length)) || b.endsWith(a.slice(0, length))) return true
  return false
}
