/** A token that stands for its literal wherever that is found in a text. */
export interface Literal {
  readonly literal: string
  readonly id: number
  /** Whether the token takes the whitespace before and behind it along. */
  readonly stripsBefore?: boolean
  readonly stripsBehind?: boolean
}

/** A literal as its UTF-8. */
export interface FoundLiteral extends Literal {
  readonly bytes: Buffer
  readonly characters: number
}

/** Literals that begin with the same byte. */
export interface LiteralGroup {
  /** What all of them begin with. */
  readonly beginning: Buffer
  /** Lengths of the literals in bytes, the longest first. */
  readonly lengths: readonly number[]
  /** UTF-8, a byte a character → literal. */
  readonly byBytes: ReadonlyMap<string, FoundLiteral>
}

/** The literals that count in a document, made ready for `LiteralFinder`. */
export class Literals {
  readonly groups: readonly LiteralGroup[]
  /** Bytes of the longest. */
  readonly longest: number
  readonly stripsBefore: boolean
  readonly #beginnings: readonly string[]

  constructor(literals: Iterable<Literal>) {
    const byFirst = new Map<number, FoundLiteral[]>()
    for (const literal of literals) {
      const bytes = Buffer.from(literal.literal)
      const found = { ...literal, bytes, characters: [...literal.literal].length }
      const group = byFirst.get(bytes[0]!)
      if (group) group.push(found)
      else byFirst.set(bytes[0]!, [found])
    }
    this.groups = [...byFirst.values()].map(groupOf)
    this.#beginnings = this.groups.map(({ beginning }) => beginning.toString('latin1'))
    this.longest = Math.max(0, ...this.groups.map(({ lengths }) => lengths[0]!))
    this.stripsBefore = [...byFirst.values()].flat().some((literal) => literal.stripsBefore === true)
  }

  /** Whether a literal may stand in the text; a look at how the literals begin. */
  mayBeIn(text: string): boolean {
    for (const beginning of this.#beginnings) if (!isAscii(beginning) || text.includes(beginning)) return true
    return false
  }
}

function groupOf(literals: readonly FoundLiteral[]): LiteralGroup {
  const byBytes = new Map(literals.map((literal) => [literal.bytes.toString('latin1'), literal]))
  const lengths = [...new Set(literals.map(({ bytes }) => bytes.length))].sort((a, b) => b - a)
  const [{ bytes: first }] = literals as readonly [FoundLiteral]
  let shared = first.length
  for (const { bytes } of literals)
    while (!bytes.subarray(0, shared).equals(first.subarray(0, shared))) shared--
  return { beginning: first.subarray(0, shared), lengths, byBytes }
}

function isAscii(bytes: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /^[\u0000-\u007f]*$/.test(bytes)
}
