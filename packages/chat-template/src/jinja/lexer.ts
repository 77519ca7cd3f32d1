import { failed, unsupported } from '../refusals.js'
import { PAUSE, type Steps } from '../steps.js'
import { stringLiteral } from './string-literal.js'
import { rstrip, SPACE } from './white-space.js'

/** A token of a template. */
export interface Token {
  readonly type:
    | 'data'
    | 'block_begin'
    | 'block_end'
    | 'output_begin'
    | 'output_end'
    | 'name'
    | 'string'
    | 'int'
    | 'float'
    | 'operator'
    | 'end'
  readonly value: string
}

/** Characters between two pauses. */
const PAUSE_CHARACTERS = 1 << 12
/** Most tokens of a tag, within which there are no pauses. */
const MAX_TAG = 4000
const OPENING = /\{[%{#]/g
const COMMENT_END = new RegExp(`\\+#\\}|-#\\}[${SPACE}]*|#\\}\\n?`, 'g')
const BLOCK_END = new RegExp(`\\+%\\}|-%\\}[${SPACE}]*|%\\}\\n?`, 'y')
const OUTPUT_END = new RegExp(`-\\}\\}[${SPACE}]*|\\}\\}`, 'y')
const ONLY_SPACE = new RegExp(`^[${SPACE}]+$`)
const SPACES = new RegExp(`[${SPACE}]+`, 'y')
const FLOAT = /\d+\.\d+/y
const INTEGER = /\d+/y
const NAME = /[A-Za-z_][A-Za-z_0-9]*/y
const STRING = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,]/y
const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/**
 * The tokens of a template, as Jinja2's lexer finds them with `trim_blocks` and `lstrip_blocks`: one newline goes behind
 * a block, the spaces of a line go before one; `-` strips all white space, `+` none.
 *
 * @throws ChatError `template_unsupported`, `template_failed`
 */
export function tokens(template: string): Steps<Token[]> {
  return new Lexer(template.replace(/\r\n?/g, '\n').replace(/\n$/, '')).all()
}

class Lexer {
  readonly #tokens: Token[] = []
  #at = 0
  /** Whether what was matched last ended a line. */
  #isLineStart = true

  constructor(private readonly source: string) {}

  *all(): Steps<Token[]> {
    let paused = 0
    while (this.#at < this.source.length) {
      this.#next()
      if (this.#at - paused < PAUSE_CHARACTERS) continue
      paused = this.#at
      yield PAUSE
    }
    this.#tokens.push({ type: 'end', value: '' })
    return this.#tokens
  }

  #next(): void {
    const { source } = this
    OPENING.lastIndex = this.#at
    const opening = OPENING.exec(source)
    if (opening === null) {
      this.#push('data', source.slice(this.#at))
      this.#at = source.length
      return
    }
    const begin = opening[0]
    let at = opening.index + 2
    const sign = source[at]
    const isSigned = sign === '-' || (sign === '+' && begin !== '{{')
    if (isSigned) at++
    this.#push('data', this.#textBefore(opening.index, begin, isSigned ? sign : undefined))
    this.#isLineStart = false
    this.#at = at
    if (begin === '{#') this.#comment()
    else if (begin === '{%') this.#inside('block_begin', 'block_end', BLOCK_END)
    else this.#inside('output_begin', 'output_end', OUTPUT_END)
  }

  /** The text up to a tag, without the spaces that the tag takes. */
  #textBefore(end: number, begin: string, sign: string | undefined): string {
    const text = this.source.slice(this.#at, end)
    if (sign === '-') return rstrip(text)
    if (sign === '+' || begin === '{{') return text
    const line = text.lastIndexOf('\n') + 1
    const isWhole = line > 0 || this.#isLineStart
    return isWhole && ONLY_SPACE.test(text.slice(line)) ? text.slice(0, line) : text
  }

  #comment(): void {
    if (this.#at === this.source.length) return // Jinja2 asks for no end of a comment without a character
    COMMENT_END.lastIndex = this.#at
    const end = COMMENT_END.exec(this.source)
    if (end === null) throw failed('a comment has no end')
    this.#moveBehind(end.index + end[0].length)
  }

  #inside(begin: Token['type'], end: Token['type'], ending: RegExp): void {
    this.#tokens.push({ type: begin, value: '' })
    const first = this.#tokens.length
    const open: string[] = []
    for (;;) {
      if (this.#at >= this.source.length) throw failed('a tag has no end')
      if (this.#tokens.length - first > MAX_TAG) throw unsupported('a tag', `has more than ${MAX_TAG} tokens`)
      const close = open.length === 0 ? this.#match(ending) : undefined
      if (close !== undefined) {
        this.#tokens.push({ type: end, value: '' })
        this.#moveBehind(this.#at)
        break
      }
      this.#token(open)
    }
    if (begin === 'block_begin' && this.#tokens[first]?.value === 'raw') throw unsupported('`{% raw %}`')
  }

  #token(open: string[]): void {
    if (this.#match(SPACES) !== undefined) return
    const before = this.source[this.#at - 1]
    const float = before === '.' ? undefined : this.#match(FLOAT)
    const integer = float === undefined ? this.#match(INTEGER) : undefined
    const number = float ?? integer
    const name = number === undefined ? this.#match(NAME) : undefined
    const string = number === undefined && name === undefined ? this.#match(STRING) : undefined
    if (number !== undefined) this.#number(float === undefined ? 'int' : 'float', number)
    else if (name !== undefined) this.#push('name', name)
    else if (string !== undefined) this.#tokens.push({ type: 'string', value: stringLiteral(string) })
    else this.#operator(open)
  }

  #operator(open: string[]): void {
    const operator = this.#match(OPERATOR)
    if (operator === undefined)
      throw unsupported(`the character ${JSON.stringify(this.source[this.#at])} in a tag`)
    if (PAIRS[operator] !== undefined) open.push(PAIRS[operator])
    else if (operator === ')' || operator === ']' || operator === '}')
      if (open.pop() !== operator) throw failed(`unexpected '${operator}'`)
    this.#push('operator', operator)
  }

  /** Other forms of numbers (`1e5`, `0x1f`, `1_000`) are refused: letters would follow. */
  #number(type: 'int' | 'float', digits: string): void {
    const next = this.source[this.#at] ?? ''
    if (/[\w]/.test(next) || (digits.length > 1 && digits.startsWith('0') && type === 'int'))
      throw unsupported(`the number ${digits}${next}`)
    this.#push(type, digits)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.source)
    if (found === null) return undefined
    this.#at += found[0].length
    return found[0]
  }

  #moveBehind(end: number): void {
    this.#at = end
    this.#isLineStart = this.source[end - 1] === '\n'
  }

  #push(type: Token['type'], value: string): void {
    if (type !== 'data' || value !== '') this.#tokens.push({ type, value })
  }
}
