import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { CommandError, UsageError } from './program.js'

/** Visible ASCII: what a header carries. */
const KEY = /^[\x21-\x7e]+$/
const LOCAL_URL = 'http://localhost:8000'
const DEFAULT_TIMEOUT_SECONDS = '60'
const MAX_TIMEOUT_SECONDS = 86_400

export interface Service {
  readonly url: string
  readonly key: string | undefined
  readonly timeoutSeconds: number
}

/** A body that is sent while it is read. */
interface CallBody {
  readonly type: string
  /** The value of `Content-Encoding`, where the bytes are packed. */
  readonly coding?: string | undefined
  readonly stream: Readable
  readonly bytes?: number | undefined
  sent(bytes: number): void
}

/** Flags that name the service. */
export const serviceFlags = {
  '--url <URL>': `A running service. Default: INLET_URL, or ${LOCAL_URL}.`,
  '--key <KEY>': 'API key. Default: INLET_API_KEY, which other users of the machine cannot see.',
  '--timeout <SECONDS>': `How long a service may be silent. Default: INLET_TIMEOUT, or ${DEFAULT_TIMEOUT_SECONDS}.`,
}

/**
 * The service that the flags, or else the environment, name; without both that of this machine. @throws UsageError for
 * an invalid address, key or time
 */
export function serviceOf(values: ReadonlyMap<string, string>, env = process.env): Service {
  const url = values.get('url') ?? (env.INLET_URL || LOCAL_URL)
  const key = values.get('key') ?? (env.INLET_API_KEY || undefined)
  const seconds = values.get('timeout') ?? (env.INLET_TIMEOUT || DEFAULT_TIMEOUT_SECONDS)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url, or INLET_URL, must be an http or https address. Given: ${url}`)
  if (key !== undefined && !KEY.test(key))
    throw new UsageError('--key, or INLET_API_KEY, must be visible ASCII characters.')
  return { url, key, timeoutSeconds: parseTimeout(seconds, '--timeout, or INLET_TIMEOUT,') }
}

export function parseTimeout(given: string, source: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds
  throw new UsageError(`${source} must be seconds above 0, at most ${MAX_TIMEOUT_SECONDS}. Given: ${given}`)
}

/**
 * Sends a request, its body while it is read, and reads the answer, JSON unless its status is 204. Of a refused
 * request no more is sent; `fetch` gives up when an answer takes five minutes. @param call `path` is below the service's address, with its query: `v1/datasets?limit=10` @throws CommandError with the service's own message, or with the reason why there is no answer
 */
export async function callService(
  { url: base, key, timeoutSeconds }: Service,
  call: { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: CallBody | undefined; signal: AbortSignal },
): Promise<{ readonly status: number; readonly text: string }> {
  const { method, path, body, signal } = call
  const url = new URL(path, base.endsWith('/') ? base : `${base}/`)
  const headers = {
    accept: 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': body.type }),
    ...(body?.coding !== undefined && { 'content-encoding': body.coding }),
    ...(body?.bytes !== undefined && { 'content-length': body.bytes }),
  }
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, { method, headers, signal, agent: false, timeout: timeoutSeconds * 1000 })
  const answered: Promise<IncomingMessage[]> = once(request, 'response')
  request.on('error', () => {}) // `answered` has it; a service that answered may close before the body is sent
  let response: IncomingMessage | undefined
  let isSending = body !== undefined
  request.on('timeout', () => {
    const waitsForInput = isSending && !request.writableEnded && !request.writableNeedDrain
    const silent = new CommandError(`${url.origin} was silent for ${timeoutSeconds} s.`)
    if (!waitsForInput) (response ?? request).destroy(silent)
  })
  try {
    if (body === undefined) request.end()
    else sendBody(body, request)
    response = (await answered)[0]
    isSending = false
    body?.stream.unpipe(request)
    const {
      statusCode: status = 0,
      statusMessage,
      headers: { 'content-type': type = 'no type' },
    } = response
    const text = await textOf(response)
    if (status >= 300) throw new CommandError(messageIn(text) ?? `The answer was ${status} ${statusMessage}.`)
    if (status === 204 || type.startsWith('application/json')) return { status, text }
    throw new CommandError(`${url.origin} must answer with application/json. It answered with ${type}.`)
  } catch (error) {
    if (error instanceof CommandError) throw error
    const [first] = error instanceof AggregateError ? error.errors : [error]
    throw new CommandError(`${url.origin} did not answer: ${first.message || first.code}`, { cause: error })
  } finally {
    body?.stream.destroy()
    request.destroy()
  }
}

function sendBody({ stream, sent }: CallBody, request: ClientRequest): void {
  stream.on('data', (chunk: Buffer) => sent(chunk.length))
  stream.on('error', (cause) =>
    request.destroy(new CommandError(`The text cannot be read: ${cause.message}`, { cause })),
  )
  stream.pipe(request)
}

/** The message of the service's own error; undefined for another server's. */
function messageIn(text: string): string | undefined {
  try {
    return String(JSON.parse(text).error.message)
  } catch {
    return undefined
  }
}
