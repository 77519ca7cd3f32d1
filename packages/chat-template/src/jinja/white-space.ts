/** The characters for which Python's `str.isspace` is true; JavaScript's \s has U+FEFF and lacks U+001C … U+001F and U+0085. */
export const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const NOT_SPACE = new RegExp(`[^${SPACE}]`)

function isSpace(code: number): boolean {
  if (code < 0x80) return (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x20)
  return !NOT_SPACE.test(String.fromCharCode(code))
}

/** Which characters go, by their code: white space where none are named. */
export type Stripped = (code: number) => boolean

/** The characters of a text. */
export function among(characters: string): Stripped {
  const codes = new Set(Array.from(characters, (character) => character.charCodeAt(0)))
  return (code) => codes.has(code)
}

/** `str.lstrip()`; `str.lstrip(characters)`. */
export function lstrip(text: string, isStripped: Stripped = isSpace): string {
  let start = 0
  while (start < text.length && isStripped(text.charCodeAt(start))) start++
  return text.slice(start)
}

/** `str.rstrip()`; `str.rstrip(characters)`. */
export function rstrip(text: string, isStripped: Stripped = isSpace): string {
  let end = text.length
  while (end > 0 && isStripped(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

/** `str.strip()`; `str.strip(characters)`. */
export function strip(text: string, isStripped: Stripped = isSpace): string {
  return rstrip(lstrip(text, isStripped), isStripped)
}
