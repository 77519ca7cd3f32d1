import type { InputEmbeddingsFields, OutputName } from '../../../../../clients/typescript/src/index.js'
import { isLong } from '../recipe/calls.js'

/** A call of the service: a path below its address, and a body. A string is a raw text; anything else goes as JSON. */
export interface Call {
  readonly path: string
  readonly body: unknown
  readonly query?: Readonly<Record<string, string>>
}

/** The call with these fields: a long text is the body itself, beside fields in the query string. */
export function callOf(fields: InputEmbeddingsFields): Call {
  const path = 'v1/input-embeddings'
  if (!isLong(fields)) return { path, body: fields }
  const { text, outputs = [], ...rest } = fields
  return { path, body: text, query: { ...flat(rest), outputs: outputs.join(',') } }
}

/** Fields of the query string: `{ position_embedding: { type: 'rope', head_dim: 4 } }` → `position_embedding=rope` … */
export function flat(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const pairs = Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'object' || value === null) return [[name, String(value)]]
    const { type, ...options } = value as Record<string, unknown>
    const written = Object.entries(options).map(
      ([option, each]) => [`${name}.${option}`, String(each)] as const,
    )
    return [[name, String(type)], ...written.map(([key, each]): [string, string] => [key, each])]
  })
  return Object.fromEntries(pairs)
}

/** A tensor on screen that is taken along, and the call that gives it. */
export interface Taken {
  /** Address of the service, with a `/` at its end. */
  readonly service: string
  readonly call: Call
  readonly output: OutputName
  /** The service asks for a key. No snippet has it: they read `INLET_API_KEY`. */
  readonly needsKey: boolean
}

/** A file that a snippet reads. */
export interface SnippetFile {
  readonly name: string
  readonly content: string
}

/** Lines to copy, or the reason why there are none. */
export type Snippet = { readonly code: string; readonly file?: SnippetFile } | { readonly why: string }

/** The call's whole address. */
export function addressOf({ service, call }: Taken): string {
  const url = new URL(call.path, service)
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
  return url.href
}

/** Most characters of a body that stand in a snippet. */
const MAX_WRITTEN = 8192

/**
 * The body of a call as a file, where it is none to read: `text.txt` for a text that goes as it is, `body.json` for
 * fields that are long.
 */
export function fileOf({ body }: Call): SnippetFile | undefined {
  if (typeof body === 'string') return { name: 'text.txt', content: body }
  const content = JSON.stringify(body)
  return content.length > MAX_WRITTEN ? { name: 'body.json', content } : undefined
}

/** The media type of a call's body. */
export function bodyTypeOf({ body }: Call): string {
  return typeof body === 'string' ? 'text/plain' : 'application/json'
}
