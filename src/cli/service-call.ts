import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { parseContentType } from '../http/body/content-type.js'
import { CallTimeout } from './call-timeout.js'
import { CommandError } from './exit.js'
import { refusal } from './service-refusal.js'

/** Where a service is, and how to call it. */
export interface Service {
  readonly url: string
  readonly key?: string
  /** How long the service may be silent. */
  readonly timeoutSeconds: number
}

/** A request of a command. */
export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the service's address, with its query string: `v1/datasets?limit=10`. */
  readonly path: string
  /** Media types of the answer, the first of which is asked for. */
  readonly accepted: readonly string[]
  /** Statuses that are no refusal. */
  readonly expected: readonly number[]
  readonly body?: CallBody
  readonly signal: AbortSignal
}

/** A body that is sent while it is read. */
export interface CallBody {
  readonly type: string
  /** The value of `Content-Encoding`, where the bytes are packed. */
  readonly coding?: string
  readonly stream: Readable
  /** Absent where that is not known. */
  readonly bytes?: number
  /** Called with the number of bytes that were sent. */
  sent(bytes: number): void
}

/** An answer whose head has arrived. */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Bytes of the answer, where that is known before it has come. */
  readonly length: number | undefined
  /** @throws CommandError where the service becomes silent */
  chunks(): AsyncIterable<Uint8Array>
  /** For an answer that is not read. */
  destroy(): void
}

/** Without a `100 Continue`, the body is sent after so long: a server may not know `Expect: 100-continue`. */
const CONTINUE_MS = 1000

/**
 * Sends a request, its body while it is read, and settles when the head of the answer has arrived. The service checks
 * the options before it asks for the body, so a refused request costs no upload.
 *
 * `node:http` rather than `fetch`: `fetch` gives up when the head takes five minutes, and cannot wait for a
 * `100 Continue`.
 *
 * @throws ServiceRefusal with the service's own message, CommandError with the reason why the connection failed
 */
export async function callService(service: Service, call: ServiceCall): Promise<ServiceAnswer> {
  const url = new URL(call.path, withSlash(service.url))
  const idle = new CallTimeout(url.origin, service.timeoutSeconds)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, {
    method: call.method,
    headers: headersOf(service, call),
    signal: call.signal,
    agent: false,
  })
  const response = await exchange(request, call.body, idle).catch((error: Error) => {
    request.destroy()
    if (error instanceof CommandError) throw error
    throw new CommandError(`${url.origin} did not answer: ${reasonOf(error)}`, { cause: error })
  })
  request.on('error', () => {}) // the service may close before the whole body is sent: that is no failure
  const { statusCode: status = 0, headers } = response
  if (!call.expected.includes(status)) throw await refusal(idle.reading(response), response)
  try {
    if (status !== 204) checkType(headers, call.accepted, url.origin)
  } catch (error) {
    response.destroy()
    throw error
  }
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  return {
    ...{ status, headers, length },
    chunks: () => idle.reading(response),
    destroy: () => response.destroy(),
  }
}

function headersOf({ key }: Service, { accepted, body }: ServiceCall): Record<string, string> {
  return {
    ...(accepted[0] === undefined ? {} : { accept: accepted[0] }),
    ...(body === undefined ? {} : bodyHeaders(body)),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
}

function bodyHeaders({ type, coding, bytes }: CallBody): Record<string, string> {
  return {
    'content-type': type,
    expect: '100-continue',
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
    ...(bytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }),
  }
}

/** Sends the body when the service asks for it, and gives the head of the answer. */
async function exchange(
  request: ClientRequest,
  body: CallBody | undefined,
  idle: CallTimeout,
): Promise<IncomingMessage> {
  let isAnswered = false
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', (response) => {
      isAnswered = true
      resolve(response)
    })
    request.on('error', reject)
  })
  const connected = new Promise<void>((resolve) => {
    const event = request.protocol === 'https:' ? 'secureConnect' : 'connect'
    request.once('socket', (socket) => socket.once(event, resolve))
  })
  const invited = new Promise<void>((resolve) => request.once('continue', resolve))
  if (body === undefined) request.end()
  else request.flushHeaders()
  await idle.connecting(Promise.race([connected, head]))
  if (body === undefined) return idle.waiting(head)
  await Promise.race([invited, head, setTimeout(CONTINUE_MS, undefined, { ref: false })])
  const uploaded = upload(request, body, idle, () => isAnswered)
  return Promise.race([head, uploaded.then(() => idle.waiting(head))])
}

async function upload(
  request: ClientRequest,
  body: CallBody,
  idle: CallTimeout,
  isAnswered: () => boolean,
): Promise<void> {
  if (isAnswered()) return
  try {
    for await (const chunk of body.stream) {
      if (isAnswered() || request.destroyed) return
      const written = new Promise<void>((resolve) => {
        request.write(chunk, () => resolve()) // a failed write emits 'error'
      })
      await idle.waiting(written)
      body.sent(chunk.length)
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`The text cannot be read: ${(error as Error).message}`, { cause: error })
  }
  request.end()
}

/** @throws CommandError where another server than Inlet answers: its page would become a broken file */
function checkType(headers: IncomingMessage['headers'], accepted: readonly string[], origin: string): void {
  const { 'content-type': type = 'no type', 'content-encoding': coding = 'identity' } = headers
  const isWanted = accepted.includes(parseContentType(type).mediaType) && coding === 'identity'
  if (isWanted) return
  const given = coding === 'identity' ? type : `${type}, packed as ${coding}`
  throw new CommandError(`${origin} must answer with ${accepted[0]}. It answered with ${given}.`)
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

/** The reason of a failed connection; where several addresses were tried, that of the first. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return first.message || first.code
}
