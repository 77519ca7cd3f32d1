import type { AddedToken } from '../added-token.js'

/**
 * The first added token that needs more than one search through the text as it came; undefined where none does. These
 * need more:
 * - tokens that count as whole words only;
 * - tokens that are found before the text is normalized beside tokens that are found after it, if both could claim the
 *   same characters;
 * - whitespace that one token strips and another begins or ends with.
 */
export function foundInAnotherPass(tokens: readonly AddedToken[], normalizes: boolean): string | undefined {
  const first = tokens.filter((t) => !t.normalized)
  const strips = tokens.some((t) => t.lstrip || t.rstrip)
  const other = tokens.find(
    (token) =>
      token.singleWord ||
      (strips && /^\s|\s$|^\u0085|\u0085$/.test(token.content)) ||
      (token.normalized &&
        // Blanks, tabs and newlines stay what they are in any normal form, and nothing becomes one.
        ((normalizes && !/^[\t\n\r ]+$/.test(token.content)) ||
          first.some(({ content }) => mayOverlap(token.content, content)))),
  )
  return other?.content
}

/** Whether some text holds both literals with a character in common. */
function mayOverlap(a: string, b: string): boolean {
  if (a.includes(b) || b.includes(a)) return true
  for (let length = 1; length < Math.min(a.length, b.length); length++)
    if (a.endsWith(b.slice(0, length)) || b.endsWith(a.slice(0, length))) return true
  return false
}
