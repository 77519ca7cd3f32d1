import { type AddedToken, AddedTokenFinder } from '../added-tokens.js'

/** Finds the literals of a document's added tokens: the first one, and the longest of several at one place. */
export class Literals {
  /** Bytes at the end of a text that may be the beginning of a literal, or of the whitespace before it. */
  readonly overhang: number
  readonly stripsBefore: boolean
  readonly #finder: AddedTokenFinder
  /** Whether there is any, and the first byte of all literals; undefined if they differ. */
  readonly #isAny: boolean
  readonly #only: number | undefined

  constructor(tokens: readonly AddedToken[]) {
    this.#finder = new AddedTokenFinder(tokens, (content) => Buffer.from(content))
    const firstBytes = new Set(tokens.map(({ content }) => Buffer.from(content)[0]))
    this.#isAny = tokens.length > 0
    this.#only = firstBytes.size === 1 ? [...firstBytes][0] : undefined
    this.stripsBefore = this.#finder.hasLstrip
    this.overhang = Math.max(0, this.#finder.longest - 1, this.stripsBefore ? SPACE_BYTES : 0)
  }

  /** The first place from `from` on, before `until`, where a literal may begin; `until`: there is none. */
  beginningIn(text: Buffer, from: number, until: number): number {
    if (!this.#isAny) return until
    let at = from
    if (this.#only === undefined) while (at < until && !this.#finder.mayBeginWith(text[at])) at++
    else at = text.subarray(0, until).indexOf(this.#only, from)
    return at < 0 ? until : at
  }

  /**
   * The first place from `from` on, before `until`, where a literal begins, and its token. With `<|endoftext|>`,
   * `a<|endoftext|>b` → a token at 1.
   */
  find(text: Buffer, from: number, until: number): { at: number; token: AddedToken | undefined } {
    for (
      let at = this.beginningIn(text, from, until);
      at < until;
      at = this.beginningIn(text, at + 1, until)
    ) {
      const token = this.#finder.findAt(text, at, text.length)?.token
      if (token !== undefined) return { at, token }
    }
    return { at: until, token: undefined }
  }
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
