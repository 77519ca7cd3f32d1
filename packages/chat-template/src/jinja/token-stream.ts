import { failed } from '../refusals.js'
import type { Token } from './lexer.js'

/** Tokens between two pauses: some tenths of a millisecond. */
const PAUSE_TOKENS = 500

/** Tokens in their order, the next one in view. */
export class TokenStream {
  #at = 0
  #paused = 0

  constructor(private readonly tokens: readonly Token[]) {}

  get current(): Token {
    return this.tokens[this.#at]
  }

  get following(): Token {
    return this.tokens[Math.min(this.#at + 1, this.tokens.length - 1)]
  }

  /** Whether many tokens have been taken since this was true. */
  get isPauseDue(): boolean {
    if (this.#at - this.#paused < PAUSE_TOKENS) return false
    this.#paused = this.#at
    return true
  }

  next(): Token {
    const { current } = this
    if (current.type !== 'end') this.#at++
    return current
  }

  is(type: Token['type'], value?: string): boolean {
    const { current } = this
    return current.type === type && (value === undefined || current.value === value)
  }

  isOperator(value: string): boolean {
    return this.is('operator', value)
  }

  isName(value: string): boolean {
    return this.is('name', value)
  }

  /** Takes the next token if it is this one. */
  skip(type: Token['type'], value?: string): boolean {
    if (!this.is(type, value)) return false
    this.next()
    return true
  }

  /** @throws ChatError `template_failed` if the next token is another one */
  expect(type: Token['type'], value?: string): Token {
    if (this.is(type, value)) return this.next()
    const { current } = this
    throw failed(`expected ${value ?? type}, got ${current.value || current.type}`)
  }
}
