/** Unicode's White_Space, beyond the ASCII ones. */
const WIDE = new Set([
  0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
  0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
])

/** Bytes of the longest whitespace character. */
export const SPACE_BYTES = 3

/** Bytes of the whitespace character at `at`; 0 if another character begins there. */
export function spaceAt(text: Uint8Array, at: number): number {
  const lead = text[at]!
  if (lead === 0x20 || (lead >= 0x09 && lead <= 0x0d)) return 1
  if (lead === 0xc2) return WIDE.has(text[at + 1]!) ? 2 : 0
  if (lead < 0xe1 || lead > 0xe3) return 0
  const codePoint = ((lead & 0x0f) << 12) | ((text[at + 1]! & 0x3f) << 6) | (text[at + 2]! & 0x3f)
  return WIDE.has(codePoint) ? 3 : 0
}

/** The place where the character before `at` begins. */
export function characterBefore(text: Uint8Array, at: number): number {
  let start = at - 1
  while (start > 0 && isContinuation(text[start]!)) start--
  return start
}

/** Whether a byte of UTF-8 goes on with a character. */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
