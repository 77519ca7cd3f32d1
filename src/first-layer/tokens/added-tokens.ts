/** An entry of tokenizer.json's `added_tokens`, with the Rust library's id. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
  /** Searched in the normalized text, with normalized content; else in the original text. */
  readonly normalized: boolean
  /** Not found beside a word character. */
  readonly singleWord: boolean
  /** Takes the white space before it along. */
  readonly lstrip: boolean
  /** Takes the white space behind it along. */
  readonly rstrip: boolean
}

/** A special token without options. */
export function specialToken(content: string, id: number): AddedToken {
  return { id, content, special: true, normalized: false, singleWord: false, lstrip: false, rstrip: false }
}

/** A regular expression that finds literals: the first one, and the longest of several at one place. */
export function literalsExpression(literals: readonly string[]): RegExp {
  const longestFirst = literals.toSorted((a, b) => b.length - a.length)
  const escaped = longestFirst.map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(escaped.join('|') || '(?!)', 'g')
}

interface Node {
  readonly children: Map<number, Node>
  token: AddedToken | undefined
}

/** An added token found in a text, and the unit (byte or code point) behind it. */
interface AddedMatch {
  readonly token: AddedToken
  readonly end: number
}

/** Finds added tokens at a place in a text: of those that begin there, the longest. */
export class AddedTokenFinder {
  /** Length of the longest content, in units. */
  readonly longest: number
  readonly hasLstrip: boolean
  readonly #root: Node = { children: new Map(), token: undefined }
  /** By a unit's low byte: whether a token may begin with it. Rules out most characters. */
  readonly #firstBytes = new Uint8Array(256)

  /** @param units a token's content in the units of the text that is searched: its bytes or its code points */
  constructor(tokens: readonly AddedToken[], units: (content: string) => ArrayLike<number>) {
    let longest = 0
    for (const token of tokens) {
      const content = units(token.content)
      longest = Math.max(longest, content.length)
      let node = this.#root
      for (let i = 0; i < content.length; i++) node = childNode(node, content[i])
      node.token = token
    }
    for (const unit of this.#root.children.keys()) this.#firstBytes[unit & 0xff] = 1
    this.longest = longest
    this.hasLstrip = tokens.some(({ lstrip }) => lstrip)
  }

  /** False: no token begins with this unit. */
  mayBeginWith(unit: number): boolean {
    return this.#firstBytes[unit & 0xff] === 1
  }

  /** The longest token in `text[start … limit)` that begins at `start`. */
  findAt(text: ArrayLike<number>, start: number, limit: number): AddedMatch | undefined {
    let node: Node | undefined = this.#root
    let found: AddedMatch | undefined
    for (let at = start; at < limit; ) {
      node = node.children.get(text[at++])
      if (node === undefined) break
      if (node.token !== undefined) found = { token: node.token, end: at }
    }
    return found
  }
}

function childNode(node: Node, unit: number): Node {
  let child = node.children.get(unit)
  if (child === undefined) {
    child = { children: new Map(), token: undefined }
    node.children.set(unit, child)
  }
  return child
}

/** The special ones, literal → id. */
export function specialTokensOf(tokens: readonly AddedToken[]): ReadonlyMap<string, number> {
  return new Map(tokens.filter(({ special }) => special).map(({ content, id }) => [content, id]))
}

/** `<|endoftext|>` if that is a token, and the tokenizer's own `bos_token` and `eos_token`, by these names. */
export type DocumentMarks = Readonly<Partial<Record<'endoftext' | 'eos' | 'bos', number>>>

/** A tokenizer's tokens beside the vocabulary. */
export interface TokenFacts {
  readonly addedTokens: readonly AddedToken[]
  /** The separator of documents. */
  readonly endOfText: number | undefined
  readonly marks?: DocumentMarks | undefined
}

/** Ids around a document under `addSpecialTokens`: `[CLS]` before it, `[SEP]` after it. */
export interface SpecialTemplate {
  readonly before: readonly number[]
  readonly after: readonly number[]
}

export const NO_TEMPLATE: SpecialTemplate = { before: [], after: [] }
