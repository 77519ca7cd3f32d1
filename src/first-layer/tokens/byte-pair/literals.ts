import { type AddedToken, AddedTokenFinder } from '../added-tokens.js'

/** The place up to which a text was searched, and the token whose literal begins there; undefined: none was found. */
export interface Found {
  readonly at: number
  readonly token: AddedToken | undefined
  readonly effort: number
}

/** Finds the literals of a document's added tokens: the first one, and the longest of several at one place. */
export class Literals {
  /** Bytes at the end of a text that may be the beginning of a literal, or of the whitespace before it. */
  readonly overhang: number
  readonly stripsBefore: boolean
  readonly #finder: AddedTokenFinder
  /** The common beginning of the literals with the same first character, for each such character. */
  readonly #beginnings: readonly string[]
  /** The first byte of all literals; undefined if they differ. */
  readonly #only: number | undefined

  constructor(tokens: readonly AddedToken[]) {
    this.#finder = new AddedTokenFinder(tokens, (content) => Buffer.from(content))
    this.#beginnings = beginningsOf(tokens)
    const firstBytes = new Set(tokens.map(({ content }) => Buffer.from(content)[0]))
    this.#only = firstBytes.size === 1 ? [...firstBytes][0] : undefined
    this.stripsBefore = this.#finder.hasLstrip
    this.overhang = Math.max(0, this.#finder.longest - 1, this.stripsBefore ? SPACE_BYTES : 0)
  }

  /** Whether the text holds the beginning of a literal. */
  mayBeIn(text: string): boolean {
    for (const beginning of this.#beginnings) if (text.includes(beginning)) return true
    return false
  }

  /** The first place from `from` on, before `end`, where a literal may begin; `end`: there is none. */
  beginningIn(text: Buffer, from: number, end: number): number {
    if (this.#beginnings.length === 0) return end
    return Math.min(end, this.#nextBeginning(text.subarray(0, end), from))
  }

  /**
   * Searches `text[from … until)` for the first place where a literal begins. With `<|endoftext|>`, `a<|endoftext|>b` →
   * a token at 1.
   *
   * @param effort bytes to read before the search stops; each place at which a literal may begin counts as many as the
   *   longest literal
   */
  search(text: Buffer, from: number, until: number, effort: number): Found {
    if (this.#beginnings.length === 0) return { at: until, token: undefined, effort }
    const finder = this.#finder
    const searched = text.subarray(0, until)
    let left = effort
    let at = from
    while (at < until && left > 0) {
      const next = this.#nextBeginning(searched, at)
      left -= next - at
      at = next
      if (at === until) break
      const token = finder.findAt(text, at, text.length)?.token
      left -= finder.longest
      if (token !== undefined) return { at, token, effort: left }
      // Literals begin where characters do.
      do at++
      while (at < until && isContinuation(text[at]))
    }
    return { at, token: undefined, effort: left }
  }

  #nextBeginning(text: Buffer, from: number): number {
    if (this.#only !== undefined) {
      const at = text.indexOf(this.#only, from)
      return at < 0 ? text.length : at
    }
    let at = from
    while (at < text.length && !this.#finder.mayBeginWith(text[at])) at++
    return at
  }
}

/** The common beginnings by first character: `<|a|>`, `<|b|>`, `  ` → `<|`, `  `. */
function beginningsOf(tokens: readonly AddedToken[]): string[] {
  const byFirst = new Map<string, string[]>()
  for (const { content } of tokens) {
    const characters = [...content]
    const shared = byFirst.get(characters[0]) ?? characters
    let length = 0
    while (length < shared.length && shared[length] === characters[length]) length++
    byFirst.set(characters[0], shared.slice(0, length))
  }
  return [...byFirst.values()].map((characters) => characters.join(''))
}

/** Unicode's White_Space, beyond the ASCII ones. */
const WIDE = new Set([
  0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
  0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
])

/** Bytes of the longest whitespace character. */
export const SPACE_BYTES = 3

/** Bytes of the whitespace character at `at`; 0 if another character begins there. */
export function spaceAt(text: Uint8Array, at: number): number {
  const lead = text[at]
  if (lead === 0x20 || (lead >= 0x09 && lead <= 0x0d)) return 1
  if (lead === 0xc2) return WIDE.has(text[at + 1]) ? 2 : 0
  if (lead < 0xe1 || lead > 0xe3) return 0
  const codePoint = ((lead & 0x0f) << 12) | ((text[at + 1] & 0x3f) << 6) | (text[at + 2] & 0x3f)
  return WIDE.has(codePoint) ? 3 : 0
}

/** The place where the character before `at` begins. */
export function characterBefore(text: Uint8Array, at: number): number {
  let start = at - 1
  while (start > 0 && isContinuation(text[start])) start--
  return start
}

/** Whether a byte of UTF-8 continues a character. */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
