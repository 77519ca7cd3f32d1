import { type AddedToken, literalsExpression } from '../added-tokens.js'
import type { CharacterSink, NormalizationTable } from './normalization.js'
import { Bit } from './unicode/character-facts.js'
import type { IdSink } from './words.js'

/** Finds the added token with which a text begins: of several the longest. */
export class AddedTokenFinder {
  /** Code points of the longest one. */
  readonly longest: number
  readonly #tokens: ReadonlyMap<string, AddedToken>
  /** Finds the first few units of literals. */
  readonly #expression: RegExp
  /** UTF-16 units that literals have, the most first. */
  readonly #lengths: readonly number[]
  /** By a code point's low byte: whether a token may begin with it. Rules out most characters. */
  readonly #beginnings = new Uint8Array(256)

  /** @param written a token's content as the text that is searched has it */
  constructor(tokens: readonly AddedToken[], written: (content: string) => string) {
    this.#tokens = new Map(tokens.map((token) => [written(token.content), token]))
    const literals = [...this.#tokens.keys()]
    this.longest = literals.reduce((most, literal) => Math.max(most, [...literal].length), 0)
    this.#lengths = [...new Set(literals.map(({ length }) => length))].sort((a, b) => b - a)
    this.#expression = literalsExpression([...new Set(literals.map((one) => one.slice(0, 8)))], 'y')
    for (const literal of literals) this.#beginnings[literal.codePointAt(0)! & 0xff] = 1
  }

  mayBeginWith(codePoint: number): boolean {
    return this.#beginnings[codePoint & 0xff] === 1
  }

  /** The token, and how many of the code points are its literal. */
  findIn(codePoints: readonly number[]): { readonly token: AddedToken; readonly end: number } | undefined {
    const text = String.fromCodePoint(...codePoints)
    this.#expression.lastIndex = 0
    if (!this.#expression.test(text)) return undefined
    for (const length of this.#lengths) {
      const literal = text.slice(0, length)
      const token = this.#tokens.get(literal)
      if (token !== undefined) return { token, end: [...literal].length }
    }
    return undefined
  }
}

interface Character {
  readonly codePoint: number
  readonly start: number
  readonly end: number
}

/** Finds added tokens in a text's characters, before normalization or after it; passes the characters between them on. */
export class AddedTokenMatches implements CharacterSink {
  /** From a character that may begin a token to the one behind the longest that could begin there. */
  #waiting: Character[] = []
  /** The last character before those that wait, or −1 at the start of the text. */
  #previous = -1
  /** Start of the white space before those that wait; −1: none. */
  #spaceStart = -1
  /** A token that takes along the white space behind it, while that lasts. */
  #open: { id: number; start: number; end: number } | undefined

  constructor(
    private readonly finder: AddedTokenFinder,
    private readonly table: NormalizationTable,
    private readonly sink: CharacterSink,
    private readonly ids: IdSink,
  ) {}

  add(codePoint: number, start: number, end: number): void {
    if (this.#waiting.length === 0 && !this.finder.mayBeginWith(codePoint)) {
      this.#pass({ codePoint, start, end })
      return
    }
    this.#waiting.push({ codePoint, start, end })
    while (this.#waiting.length > this.finder.longest) this.#decide()
  }

  end(): void {
    while (this.#waiting.length > 0) this.#decide()
    this.sink.end()
    this.#close()
    this.#previous = this.#spaceStart = -1
  }

  /** Decides on the first waiting character, and on those behind it that cannot begin a token. */
  #decide(): void {
    const codePoints = this.#waiting.map(({ codePoint }) => codePoint)
    const match = this.finder.findIn(codePoints)
    if (match !== undefined && this.#isAllowed(match.token, match.end)) {
      this.#take(match.token, this.#waiting.splice(0, match.end))
      return
    }
    // The search goes on behind a token that stands within a word.
    let passed = match?.end ?? 1
    while (passed < codePoints.length && !this.finder.mayBeginWith(codePoints[passed])) passed++
    for (const character of this.#waiting.splice(0, passed)) this.#pass(character)
  }

  #pass({ codePoint, start, end }: Character): void {
    this.#previous = codePoint
    const isSpace = this.table.has(codePoint, Bit.space)
    if (this.#open !== undefined && isSpace) {
      this.#open.end = end
      return
    }
    this.#close()
    if (!isSpace) this.#spaceStart = -1
    else if (this.#spaceStart < 0) this.#spaceStart = start
    this.sink.add(codePoint, start, end)
  }

  #isAllowed(token: AddedToken, end: number): boolean {
    if (!token.singleWord) return true
    const isWord = (codePoint: number) => this.table.has(codePoint, Bit.word)
    if (this.#previous >= 0 && isWord(this.#previous)) return false
    return end === this.#waiting.length || !isWord(this.#waiting[end].codePoint)
  }

  #take(token: AddedToken, characters: readonly Character[]): void {
    this.#close()
    this.sink.end()
    const last = characters.at(-1)!
    const start = token.lstrip && this.#spaceStart >= 0 ? this.#spaceStart : characters[0].start
    this.#open = { id: token.id, start, end: last.end }
    if (!token.rstrip) this.#close()
    this.#previous = last.codePoint
    this.#spaceStart = -1
  }

  #close(): void {
    if (this.#open !== undefined) this.ids.push(this.#open.id, this.#open.start, this.#open.end)
    this.#open = undefined
  }
}
