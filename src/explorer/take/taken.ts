import type { Call } from '../api/client.js'
import type { OutputName } from '../api/types.js'

/** What is taken along: a tensor of what is on screen, and the call that gives it. */
export interface Taken {
  /** Address of the service, with a `/` at its end. */
  readonly service: string
  readonly call: Call
  readonly output: OutputName
  /** Its numbers are int32, not float32. */
  readonly isInteger: boolean
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
