import { failed, unsupported } from '../errors.js'
import { PAUSE, type Steps } from '../steps.js'
import { rstrip, SPACE } from './white-space.js'

/** A token of a template. */
export interface Token {
  readonly type:
    | ('data' | 'block_begin' | 'block_end' | 'output_begin' | 'output_end' | 'end')
    | ('name' | 'string' | 'int' | 'float' | 'operator')
  readonly value: string
}

/** Characters between two pauses. */
const PAUSE_CHARACTERS = 1 << 12
/** Most tokens of a tag, within which there are no pauses. */
const MAX_TAG = 4000
const OPENING = /\{(?:[%#][-+]?|\{-?)/g
const COMMENT_END = new RegExp(`\\+#\\}|-#\\}[${SPACE}]*|#\\}\\n?`, 'g')
const BLOCK_END = new RegExp(`\\+%\\}|-%\\}[${SPACE}]*|%\\}\\n?`, 'y')
const OUTPUT_END = new RegExp(`-\\}\\}[${SPACE}]*|\\}\\}`, 'y')
const ONLY_SPACE = new RegExp(`^[${SPACE}]+$`)
const SPACES = new RegExp(`[${SPACE}]*`, 'y')
/** Other forms of numbers (`1e5`, `0x1f`, `1_000`) are no tokens here. */
const NUMBER = String.raw`((?<!\.)\d+\.\d+(?!\w))|((?:0|[1-9]\d*)(?!\w))`
const STRING = String.raw`('[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*")`
const OPERATOR = String.raw`(\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,])`
const TOKEN = new RegExp(`([A-Za-z_]\\w*)|${OPERATOR}|${STRING}|${NUMBER}`, 'y')
/** The types of a token, as its groups stand in the pattern. */
const TYPES = ['name', 'operator', 'string', 'float', 'int'] as const

/**
 * The tokens of a template, as Jinja2's lexer finds them with `trim_blocks` and `lstrip_blocks`: one newline goes behind
 * a block, the spaces of a line go before one; `-` strips all white space, `+` none.
 *
 * @throws ChatError `template_unsupported`, `template_failed`
 */
export function* tokens(template: string): Steps<Token[]> {
  const source = template.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  const all: Token[] = []
  let [at, paused] = [0, 0]
  let isLineStart = true
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  while (at < source.length) {
    if (at - paused >= PAUSE_CHARACTERS) {
      paused = at
      yield PAUSE
    }
    const from = at
    const opening = match(OPENING)
    const text = source.slice(from, opening?.index)
    const data = opening === null ? text : textBefore(text, opening[0], isLineStart)
    if (data !== '') all.push({ type: 'data', value: data })
    if (opening === null) break
    if (opening[0].startsWith('{#')) {
      // Jinja2 asks for no end of a comment without a character.
      if (at < source.length && match(COMMENT_END) === null) throw failed('a comment has no end')
    } else if (opening[0].startsWith('{%')) inside('block_begin', 'block_end', BLOCK_END)
    else inside('output_begin', 'output_end', OUTPUT_END)
    isLineStart = source[at - 1] === '\n'
  }
  all.push({ type: 'end', value: 'end' })
  return all

  function inside(begin: Token['type'], end: Token['type'], ending: RegExp): void {
    all.push({ type: begin, value: begin })
    const most = all.length + MAX_TAG
    let open = 0
    for (match(SPACES); open > 0 || match(ending) === null; match(SPACES)) {
      if (all.length > most) throw unsupported('a tag', `has more than ${MAX_TAG} tokens`)
      const found = match(TOKEN)
      if (found === null) {
        if (at === source.length) throw failed('a tag has no end')
        throw unsupported(`${JSON.stringify(source.slice(at, at + 8))} in a tag`)
      }
      const [value, ...groups] = found
      const type = TYPES[groups.findIndex((group) => group !== undefined)]
      if (type === 'operator' && '([{'.includes(value)) open++
      if (type === 'operator' && ')]}'.includes(value) && --open < 0) throw failed(`unexpected '${value}'`)
      if (value === 'raw' && all.at(-1)!.type === 'block_begin') throw unsupported('`{% raw %}`')
      all.push({ type, value: type === 'string' ? stringLiteral(value) : value })
    }
    all.push({ type: end, value: end })
  }
}

/** The text up to a tag, without the spaces that the tag takes. */
function textBefore(text: string, tag: string, isLineStart: boolean): string {
  if (tag.endsWith('-')) return rstrip(text)
  if (tag.endsWith('+') || tag === '{{') return text
  const line = text.lastIndexOf('\n') + 1
  return (line > 0 || isLineStart) && ONLY_SPACE.test(text.slice(line)) ? text.slice(0, line) : text
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\n': '', '\\': '\\', "'": "'", '"': '"', a: '\x07' },
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
}

/** The text of a quoted string, with Python's escapes: `'a\n'`; a backslash before another letter stays. */
function stringLiteral(quoted: string): string {
  const escaped = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])/g
  const text = quoted.slice(1, -1).replace(escaped, (whole, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    if (ESCAPES[code] !== undefined) return ESCAPES[code]
    if (/[xuUN0-7]/.test(code) || code > '\x7e') throw unsupported(`the escape ${JSON.stringify(whole)}`)
    return whole
  })
  if (!text.isWellFormed()) throw unsupported('a lone surrogate in a string')
  return text
}
