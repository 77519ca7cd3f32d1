import { validateHeaderName, validateHeaderValue } from 'node:http'

/** The line of each header as it was written last. */
const written = new Map<string, { readonly value: unknown; readonly line: string }>()
/** Most names: those of this service's headers are fewer. */
const MOST = 256

/**
 * Headers as they stand in an answer's head: `{ 'x-num-tokens': 33 }` → `x-num-tokens: 33\r\n`. A value that is the one
 * before is neither checked nor written anew: most are, from answer to answer.
 *
 * @param without the names of those that are left out
 * @throws TypeError as Node does, for a name or a value that may not stand there
 */
export function headerLines(headers: Readonly<Record<string, unknown>>, without: object = NONE): string {
  let lines = ''
  for (const name in headers) {
    if (name in without) continue
    const value = headers[name]
    const before = written.get(name)
    lines += before !== undefined && before.value === value ? before.line : lineOf(name, value)
  }
  return lines
}

const NONE = Object.freeze(Object.create(null))

function lineOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => lineOf(name, each)).join('')
  validateHeaderName(name)
  validateHeaderValue(name, value as string)
  const line = `${name}: ${value}\r\n`
  if (written.size < MOST || written.has(name)) written.set(name, { value, line })
  return line
}
