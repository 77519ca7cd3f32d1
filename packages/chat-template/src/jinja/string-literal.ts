import { unsupported } from '../refusals.js'

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** The text of a quoted string, with Python's escapes: `'a\n'`; a backslash before another letter stays. */
export function stringLiteral(quoted: string): string {
  const inner = quoted.slice(1, -1)
  if (!inner.includes('\\')) return inner
  const text = inner.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])/g, (whole, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const plain = ESCAPES[code]
    if (plain !== undefined) return plain
    if (/[xuUN0-7]/.test(code) || code > '\x7e') throw unsupported(`the escape ${JSON.stringify(whole)}`)
    return whole
  })
  if (!text.isWellFormed()) throw unsupported('a lone surrogate in a string')
  return text
}
