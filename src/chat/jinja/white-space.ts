/** What Python's `str.isspace` is true for; JavaScript's \s has U+FEFF and lacks U+001C … U+001F and U+0085. */
export const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const NOT_SPACE = new RegExp(`[^${SPACE}]`)

function isSpace(code: number): boolean {
  if (code < 0x80) return (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x20)
  return !NOT_SPACE.test(String.fromCharCode(code))
}

/** `str.lstrip()`; `str.lstrip(characters)`. */
export function lstrip(text: string, characters?: string): string {
  let start = 0
  while (start < text.length && isStripped(text, start, characters)) start++
  return text.slice(start)
}

/** `str.rstrip()`; `str.rstrip(characters)`. */
export function rstrip(text: string, characters?: string): string {
  let end = text.length
  while (end > 0 && isStripped(text, end - 1, characters)) end--
  return text.slice(0, end)
}

/** `str.strip()`; `str.strip(characters)`. */
export function strip(text: string, characters?: string): string {
  return rstrip(lstrip(text, characters), characters)
}

function isStripped(text: string, at: number, characters: string | undefined): boolean {
  return characters === undefined ? isSpace(text.charCodeAt(at)) : characters.includes(text[at]!)
}
