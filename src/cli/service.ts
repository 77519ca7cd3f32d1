import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { setTimeout as timeout } from 'node:timers/promises'
import { KEY } from '../service/request/callers/api-keys.js'
import { parseContentType } from '../service/request/checks/head-checks.js'
import { CommandError, UsageError } from './program.js'

const DEFAULT_TIMEOUT_SECONDS = 60
const MAX_TIMEOUT_SECONDS = 86_400
/** The most time for a connection: a service that can be reached answers much sooner. */
const CONNECT_SECONDS = 10
/** Without a `100 Continue`, the body is sent after so long: a server may not know `Expect: 100-continue`. */
const CONTINUE_MS = 1000
/** Bytes, and characters, of an error that are read and shown. */
const MAX_ERROR_BYTES = 1 << 16
const SHOWN_CHARACTERS = 2000

const LOCAL_URL = 'http://localhost:8000'

export interface Service {
  readonly url: string
  readonly key?: string | undefined
  readonly timeoutSeconds: number
}

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the service's address, with its query string: `v1/datasets?limit=10`. */
  readonly path: string
  /** Media types of the answer, the first of which is asked for. */
  readonly accepted: readonly [string, ...string[]]
  readonly body?: CallBody
  readonly signal: AbortSignal
}

/** A body that is sent while it is read. */
export interface CallBody {
  readonly type: string
  /** The value of `Content-Encoding`, where the bytes are packed. */
  readonly coding?: string | undefined
  readonly stream: Readable
  readonly bytes?: number | undefined
  sent(bytes: number): void
}

/** An answer whose head has arrived. */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Bytes of the answer, if that is known before it arrives. */
  readonly length: number | undefined
  /** @throws CommandError if the service becomes silent */
  chunks(): AsyncIterable<Uint8Array>
  /** For an answer that is not read. */
  destroy(): void
}

/** Flags for the service that a command calls. @param otherwise what happens if none is named */
const flagsOf = (otherwise: string) => ({
  '--url <URL>': `A running service. Default: INLET_URL; without both ${otherwise}.`,
  '--key <KEY>': 'API key. Default: INLET_API_KEY, which other users of the machine cannot see.',
  '--timeout <SECONDS>': `How long a service may be silent. Default: INLET_TIMEOUT, or ${DEFAULT_TIMEOUT_SECONDS}.`,
})

/** Flags of commands that run in this process where they name no service, and of those that always call one. */
export const serviceFlags = flagsOf('the recipe runs in this process, with the model of the environment')
export const neededServiceFlags = flagsOf(LOCAL_URL)

/** The service that the flags, or else the environment, name; without both that of this machine. */
export function neededService(values: ReadonlyMap<string, string>, env = process.env): Service {
  return remoteService(values, { ...env, INLET_URL: env.INLET_URL || LOCAL_URL })!
}

/**
 * The service that the flags, or else the environment, name; undefined if they name none. @throws UsageError for an
 * invalid address, key or time
 */
export function remoteService(values: ReadonlyMap<string, string>, env = process.env): Service | undefined {
  const given = (flag: string, variable: string): [value: string | undefined, source: string] =>
    values.has(flag) ? [values.get(flag), `--${flag}`] : [env[variable] || undefined, variable]
  const [url, urlSource] = given('url', 'INLET_URL')
  const [key, keySource] = given('key', 'INLET_API_KEY')
  const [seconds = String(DEFAULT_TIMEOUT_SECONDS), secondsSource] = given('timeout', 'INLET_TIMEOUT')
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`${urlSource} must be an http or https address. Given: ${url}`)
  if (key !== undefined && !KEY.test(key))
    throw new UsageError(`${keySource} must be visible ASCII characters.`)
  return { url, key, timeoutSeconds: parseTimeout(seconds, secondsSource) }
}

export function parseTimeout(given: string, source: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds
  throw new UsageError(`${source} must be seconds above 0, at most ${MAX_TIMEOUT_SECONDS}. Given: ${given}`)
}

/**
 * Sends a request, its body while it is read, and settles when the head of the answer has arrived. The service checks
 * the options before it asks for the body, so a refused request costs no upload. The time-out counts only while the
 * command waits for the service, not while it waits for a slow input. `node:http` rather than `fetch`: `fetch` gives up
 * when the head takes five minutes, and cannot wait for a `100 Continue`. @throws CommandError with the service's own
 * message, or with the reason why the connection failed
 */
export async function callService(service: Service, call: ServiceCall): Promise<ServiceAnswer> {
  const url = new URL(call.path, service.url.endsWith('/') ? service.url : `${service.url}/`)
  const { origin } = url
  const silent = `${origin} was silent for ${service.timeoutSeconds} s.`
  const waiting = <T>(awaited: Promise<T>) => within(service.timeoutSeconds, awaited, silent)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const { method, signal, accepted, body } = call
  const request = send(url, { method, signal, agent: false, headers: headersOf(service, call) })
  const head = once(request, 'response').then(([response]) => response as IncomingMessage)
  const response = await exchange(request, head, body, waiting, origin, service).catch((error) => {
    request.destroy()
    if (error instanceof CommandError) throw error
    const [first] = error instanceof AggregateError ? error.errors : [error]
    throw new CommandError(`${origin} did not answer: ${first.message || first.code}`, { cause: error })
  })
  request.on('error', () => {}) // the service may close before the whole body is sent: that is no failure
  const { statusCode: status = 0, headers } = response
  const chunks = () => reading(response, waiting)
  if (status >= 300) throw await refusal(chunks(), response)
  const { 'content-type': type = 'no type', 'content-encoding': coding = 'identity' } = headers
  if (status !== 204 && !(accepted.includes(parseContentType(type).mediaType) && coding === 'identity')) {
    response.destroy() // another server's page would become a broken file
    const given = coding === 'identity' ? type : `${type}, packed as ${coding}`
    throw new CommandError(`${origin} must answer with ${accepted[0]}. It answered with ${given}.`)
  }
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  return { status, headers, length, chunks, destroy: () => response.destroy() }
}

type Waiting = <T>(awaited: Promise<T>) => Promise<T>

function headersOf({ key }: Service, { accepted, body }: ServiceCall): Record<string, string> {
  const headers: Record<string, string> = { accept: accepted[0] }
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  if (body === undefined) return headers
  if (body.coding !== undefined) headers['content-encoding'] = body.coding
  if (body.bytes === undefined) headers['transfer-encoding'] = 'chunked'
  else headers['content-length'] = String(body.bytes)
  return { ...headers, 'content-type': body.type, expect: '100-continue' }
}

/** Sends the body when the service asks for it, and gives the head of the answer. */
async function exchange(
  request: ClientRequest,
  head: Promise<IncomingMessage>,
  body: CallBody | undefined,
  waiting: Waiting,
  origin: string,
  { timeoutSeconds }: Service,
): Promise<IncomingMessage> {
  head.catch(() => {}) // the reader of the answer reports it
  const invited = new Promise<void>((resolve) => request.once('continue', resolve))
  const connected = once(request, 'socket').then(([socket]) =>
    socket.connecting ? once(socket, request.protocol === 'https:' ? 'secureConnect' : 'connect') : undefined,
  )
  if (body === undefined) request.end()
  else request.flushHeaders()
  const seconds = Math.min(timeoutSeconds, CONNECT_SECONDS)
  await within(
    seconds,
    Promise.race([connected, head]),
    `${origin} could not be reached within ${seconds} s.`,
  )
  if (body === undefined) return waiting(head)
  await Promise.race([invited, head, timeout(CONTINUE_MS, undefined, { ref: false })])
  const uploaded = upload(request, head, body, waiting)
  return Promise.race([head, uploaded.then(() => waiting(head))])
}

async function upload(
  request: ClientRequest,
  head: Promise<IncomingMessage>,
  body: CallBody,
  waiting: Waiting,
): Promise<void> {
  let isAnswered = false
  head.then(() => (isAnswered = true)).catch(() => {})
  await Promise.resolve() // a head that has arrived is known now
  if (isAnswered) return
  try {
    for await (const chunk of body.stream) {
      if (isAnswered || request.destroyed) return
      await waiting(new Promise<void>((resolve) => request.write(chunk, () => resolve()))) // a failed write emits 'error'
      body.sent(chunk.length)
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`The text cannot be read: ${(error as Error).message}`, { cause: error })
  }
  request.end()
}

/** The chunks of an answer. @throws CommandError if one does not arrive in time */
async function* reading(answer: Readable, waiting: Waiting): AsyncGenerator<Buffer, void, void> {
  const chunks: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await waiting(chunks.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    answer.destroy()
  }
}

async function within<T>(seconds: number, awaited: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CommandError(message)), seconds * 1000)
    timer.unref() // the connection keeps the process alive, not this timer
  })
  try {
    return await Promise.race([awaited, over])
  } finally {
    clearTimeout(timer)
  }
}

/** The service's own error; where another server answered, its status. */
async function refusal(body: AsyncIterable<Buffer>, response: IncomingMessage): Promise<CommandError> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_ERROR_BYTES) break
    }
    const { error } = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof error.message === 'string') return new CommandError(error.message.slice(0, SHOWN_CHARACTERS))
  } catch {
    // not one of the service's own errors
  }
  return new CommandError(`The answer was ${response.statusCode} ${response.statusMessage}.`)
}
