/**
 * Characters that control a terminal or change the order of the text after them: control characters (C0, DEL, C1),
 * line separators, marks of bidirectional text, lone surrogates.
 */
const STEERING = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A server's text, or a file's name, made safe for a terminal, in one line: `\u001b[2J` → `\x1b[2J`.
 *
 * @param kept characters that stay as they are
 */
export function visible(text: string, kept = ''): string {
  return text.replace(STEERING, (character) => (kept.includes(character) ? character : escaped(character)))
}

function escaped(character: string): string {
  const code = character.codePointAt(0) as number
  const hex = code.toString(16)
  return SHORT[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`)
}
