/** An entry of `added_tokens` in tokenizer.json. */
export interface AddedToken {
  readonly content: string
  readonly special?: boolean
  readonly normalized?: boolean
  readonly single_word?: boolean
}

interface Node {
  readonly next: Map<number, Node>
  token?: AddedToken
}

/** Rust's `\w`. */
const WORD = String.raw`[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]`
const STARTS_WITH_WORD = new RegExp(`^${WORD}`, 'u')
const ENDS_WITH_WORD = new RegExp(`${WORD}$`, 'u')

/** Finds added tokens in a text as the library does, in one pass, whichever of them are to be found. */
export class Literals {
  readonly #root: Node = { next: new Map() }

  constructor(tokens: readonly AddedToken[]) {
    for (const token of tokens) {
      let node = this.#root
      for (let i = 0; i < token.content.length; i++) {
        const unit = token.content.charCodeAt(i)
        const next: Node = node.next.get(unit) ?? { next: new Map() }
        node.next.set(unit, next)
        node = next
      }
      node.token = token
    }
  }

  /** The first literal, and of those that begin there the longest, then the next one behind it. @param finds is asked about each literal that stands in the text where none has been found */
  *in(text: string, finds: (token: AddedToken) => boolean) {
    for (let start = 0; start < text.length; ) {
      let node = this.#root.next.get(text.charCodeAt(start))
      let token: AddedToken | undefined
      let end = start
      for (let at = start + 1; node !== undefined; at++) {
        if (node.token !== undefined && finds(node.token)) [token, end] = [node.token, at]
        node = node.next.get(text.charCodeAt(at)) // NaN behind the end
      }
      if (token !== undefined && !(token.single_word && isWithinWord(text, start, end)))
        yield { token, start, end }
      start = Math.max(end, start + 1)
    }
  }
}

function isWithinWord(text: string, start: number, end: number): boolean {
  return (
    ENDS_WITH_WORD.test(text.slice(Math.max(0, start - 2), start)) ||
    STARTS_WITH_WORD.test(text.slice(end, end + 2))
  )
}
