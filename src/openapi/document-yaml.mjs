import { stringify } from 'yaml'

const HEADING =
  '# Made by `npm run openapi` from the schemas in src/wire; the examples are answers of the service.\n'
/** Characters of a line in which a whole object or list stands. */
const WIDTH = 170

/** Texts that mean themselves in YAML without quotes, in braces and brackets too. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z_$][\w$./`’=() -]*(?<! )$/i

/** The document as YAML for people: what fits in one line stands in one, long lists of numbers fill lines. */
export function documentYaml(document) {
  const shorts = []
  const text = stringify(withoutShorts(document, 0, WIDTH, shorts), {
    lineWidth: 0,
    indent: 1,
    blockQuote: 'literal',
    indentSeq: false,
  })
  const whole = text.replace(/^([ -]*)(.*?)"?@short(\d+)@"?$/gm, (_, indent, before, index) => {
    const value = shorts[Number(index)]
    const lines = filled(value, WIDTH - indent.length - 2)
    if (lines.length === 1 || !Array.isArray(value)) return `${indent}${before}${flow(value)}`
    const spaces = ' '.repeat(indent.length)
    return [indent + before.trimEnd(), ...lines.map((line) => `${spaces}  ${line}`)].join('\n')
  })
  return HEADING + whole
}

/** The value with its short parts moved to `shorts`, and their places marked; `room` is what its first line has. */
function withoutShorts(value, indent, room, shorts) {
  if (typeof value !== 'object' || value === null) return value
  if (isPlainList(value) || fits(value, room)) return `@short${shorts.push(value) - 1}@`
  if (Array.isArray(value)) {
    return value.map((item) => withoutShorts(item, indent + 1, WIDTH - indent - 2, shorts))
  }
  const entries = Object.entries(value).map(([key, item]) => {
    return [key, withoutShorts(item, indent + 1, WIDTH - indent - key.length - 2, shorts)]
  })
  return Object.fromEntries(entries)
}

/** Lists, and lists of lists, of plain values. */
function isPlainList(value) {
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((item) => isPlainList(item) || typeof item !== 'object' || item === null)
}

function fits(value, room) {
  const text = flow(value)
  return text.length <= room && !text.includes('\\n')
}

function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value === 'string') return PLAIN.test(value) ? value : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${flow(key)}: ${flow(item)}`)
    .join(', ')}}`
}

/** The lines of a list in brackets, filled up to the width. */
function filled(list, width) {
  const lines = ['']
  for (const word of flow(list).split(/(?<=,) /)) {
    const line = lines.at(-1)
    if (line !== '' && line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] += line === '' ? word : ` ${word}`
  }
  return lines
}
