import { stringify } from 'yaml'

const HEADING =
  '# Made by `npm run openapi` from the schemas in src/wire; the examples are answers of the service.\n'
const WIDTH = 110

/** Lists, and lists of lists, of plain values. */
function isPlainList(value) {
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((item) => isPlainList(item) || typeof item !== 'object' || item === null)
}

/** A name that means itself in YAML without quotes. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z_]+$/i

function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  return typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)
}

/** A list in brackets, in lines filled up to the width and indented under its key. */
function filled(list, indent) {
  const lines = ['']
  for (const word of flow(list).split(/(?<=,) /)) {
    const line = lines.at(-1)
    if (line !== '' && indent + line.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] += line === '' ? word : ` ${word}`
  }
  return lines.length === 1 ? lines[0] : `\n${lines.map((line) => ' '.repeat(indent) + line).join('\n')}`
}

/** The document as YAML for people: numbers and names side by side, texts as they are written. */
export function documentYaml(document) {
  const lists = []
  const text = stringify(withoutLists(document, lists), { lineWidth: WIDTH, blockQuote: 'literal' })
  const whole = text.replace(/^( *)(.*?)"?@list(\d+)@"?$/gm, (_, spaces, before, index) => {
    const list = filled(lists[Number(index)], spaces.length + 2)
    return `${spaces}${list.startsWith('\n') ? before.trimEnd() : before}${list}`
  })
  return HEADING + whole
}

/** The value with each plain list moved to `lists`, and its place marked. */
function withoutLists(value, lists) {
  if (isPlainList(value)) return `@list${lists.push(value) - 1}@`
  if (Array.isArray(value)) return value.map((item) => withoutLists(item, lists))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutLists(item, lists)]))
}
