import { type AddedToken, literalsExpression } from '../added-tokens.js'

/** Unicode's White_Space in UTF-8. Text is searched as Latin-1: a character for each byte. */
const SPACE = String.raw`(?:[\t-\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)`
const SPACES = new RegExp(`^${SPACE}*`)
const SPACES_BEFORE = new RegExp(`(?<=(${SPACE}*))`, 'y')
/** Bytes of the longest whitespace character. */
export const SPACE_BYTES = 3

/** Bytes of a literal that the expression has: one of all of many or long ones would be too large for the engine. */
const BEGINNING_BYTES = 8

const latin1Of = (content: string) => Buffer.from(content).toString('latin1')
const beginningsOf = (literals: readonly string[], length = BEGINNING_BYTES) =>
  literalsExpression([...new Set(literals.map((literal) => literal.slice(0, length)))])

/** Finds the literals of a document's added tokens: the first one, and the longest of several at one place. */
export class Literals {
  /** Bytes at the end of a text that may be the beginning of a literal, or of the whitespace before it. */
  readonly overhang: number
  readonly stripsBefore: boolean
  readonly isAny: boolean
  /** Finds each place of a text, not yet in bytes, where a literal may begin. */
  readonly inText: RegExp
  /** The longest first. */
  readonly #tokens: readonly (readonly [string, AddedToken])[]
  readonly #literals: RegExp
  readonly #beginnings: RegExp

  constructor(tokens: readonly AddedToken[]) {
    const byLiteral = new Map(tokens.map((token) => [latin1Of(token.content), token]))
    this.#tokens = [...byLiteral].sort(([a], [b]) => b.length - a.length)
    this.isAny = tokens.length > 0
    const literals = [...byLiteral.keys()]
    this.#literals = beginningsOf(literals)
    this.#beginnings = beginningsOf(literals, 1)
    this.inText = beginningsOf(tokens.map(({ content }) => content))
    this.stripsBefore = tokens.some(({ lstrip }) => lstrip)
    const longest = literals.reduce((most, { length }) => Math.max(most, length), 1)
    this.overhang = Math.max(longest - 1, this.stripsBefore ? SPACE_BYTES : 0)
  }

  /** The first place from `from` on where a literal may begin; the text's end: there is none. */
  beginningIn(text: Buffer, from: number): number {
    if (!this.isAny) return text.length
    const place = text.toString('latin1', from).search(this.#beginnings)
    return place < 0 ? text.length : from + place
  }

  /**
   * The first place from `from` on, before `until`, where a literal begins, and its token. With `<|endoftext|>`,
   * `a<|endoftext|>b` → a token at 1.
   */
  find(text: string, from: number, until: number): { at: number; token: AddedToken | undefined } {
    this.#literals.lastIndex = from
    for (let found = this.#literals.exec(text); found !== null; found = this.#literals.exec(text)) {
      const at = found.index
      if (at >= until) break
      const token = this.#tokens.find(([literal]) => text.startsWith(literal, at))?.[1]
      if (token !== undefined) return { at, token }
      this.#literals.lastIndex = at + 1
    }
    return { at: until, token: undefined }
  }
}

/** Bytes of the whitespace with which a text begins. */
export function spacesIn(text: Buffer): number {
  return SPACES.exec(text.toString('latin1'))![0].length
}

/** Bytes of the whitespace with which a text ends. */
export function spacesAtEnd(text: Buffer): number {
  SPACES_BEFORE.lastIndex = text.length
  return SPACES_BEFORE.exec(text.toString('latin1'))![1].length
}
