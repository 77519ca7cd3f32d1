import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { parseContentType } from '../http/body/content-type.js'
import type { Format } from '../wire/formats/format.js'
import { CallTimeout } from './call-timeout.js'
import { CommandError } from './exit.js'

/** Where a service is, and how to call it. */
export interface Service {
  readonly url: string
  readonly key?: string
  /** How long the service may be silent. */
  readonly timeoutSeconds: number
}

/** A text, and the embeddings that are wanted of it. */
export interface TextCall {
  /** Query string of `POST /v1/input-embeddings`, without the question mark. */
  readonly query: string
  /** The format of the answer. */
  readonly format: Format
  readonly text: Readable
  readonly bytes?: number
  /** Called with the number of bytes that were sent. */
  sent(bytes: number): void
  readonly signal: AbortSignal
}

/** The embeddings of a text, in the format that was asked for. */
export interface Answer {
  /** Those of the answer over HTTP, with the counts. */
  readonly headers: IncomingMessage['headers']
  /** Bytes of the answer, where that is known before it has come. */
  readonly length: number | undefined
  /** @throws CommandError where the service becomes silent */
  chunks(): AsyncIterable<Uint8Array>
  /** For an answer that is not read. */
  destroy(): void
}

/** Without a `100 Continue`, the text is sent after so long: a server may not know `Expect: 100-continue`. */
const CONTINUE_MS = 1000
const MAX_ERROR_BYTES = 1 << 16
const SHOWN_CHARACTERS = 2000

/**
 * Sends a text while it is read, and settles when the head of the answer has arrived. The service checks the
 * options before it asks for the text, so a refused request costs no upload.
 *
 * `node:http` rather than `fetch`: `fetch` gives up when the head takes five minutes, and cannot wait for a
 * `100 Continue`.
 *
 * @throws CommandError with the service's own message, or with the reason why the connection failed
 */
export async function callEmbeddings(service: Service, call: TextCall): Promise<Answer> {
  const url = new URL(`v1/input-embeddings?${call.query}`, withSlash(service.url))
  const idle = new CallTimeout(url.origin, service.timeoutSeconds)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, {
    method: 'POST',
    headers: headersOf(service, call),
    signal: call.signal,
    agent: false,
  })
  const response = await exchange(request, call, idle).catch((error: Error) => {
    request.destroy()
    if (error instanceof CommandError) throw error
    throw new CommandError(`${url.origin} did not answer: ${reasonOf(error)}`, { cause: error })
  })
  request.on('error', () => {}) // the service may close before the whole text is sent: that is no failure
  if (response.statusCode !== 200) throw new CommandError(await refusal(idle.reading(response), response))
  const { headers } = response
  try {
    checkType(headers, call.format.mediaTypes, url.origin)
  } catch (error) {
    response.destroy()
    throw error
  }
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  return { headers, length, chunks: () => idle.reading(response), destroy: () => response.destroy() }
}

function headersOf({ key }: Service, { format, bytes }: TextCall): Record<string, string> {
  return {
    accept: format.mediaTypes[0],
    'content-type': 'text/plain; charset=utf-8',
    expect: '100-continue',
    ...(bytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
}

/** Sends the text when the service asks for it, and gives the head of the answer. */
async function exchange(request: ClientRequest, call: TextCall, idle: CallTimeout): Promise<IncomingMessage> {
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
  request.flushHeaders()
  await idle.connecting(Promise.race([connected, head]))
  await Promise.race([invited, head, setTimeout(CONTINUE_MS, undefined, { ref: false })])
  const uploaded = upload(request, call, idle, () => isAnswered)
  return Promise.race([head, uploaded.then(() => idle.waiting(head))])
}

async function upload(
  request: ClientRequest,
  call: TextCall,
  idle: CallTimeout,
  isAnswered: () => boolean,
): Promise<void> {
  if (isAnswered()) return
  try {
    for await (const chunk of call.text) {
      if (isAnswered() || request.destroyed) return
      const written = new Promise<void>((resolve) => {
        request.write(chunk, () => resolve()) // a failed write emits 'error'
      })
      await idle.waiting(written)
      call.sent(chunk.length)
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

/** The message of the service's error body; where another server answered, a message with its status. */
async function refusal(body: AsyncIterable<Buffer>, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_ERROR_BYTES) break
    }
    const { error } = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof error.message === 'string') return error.message.slice(0, SHOWN_CHARACTERS)
  } catch {
    // not one of the service's own errors
  }
  return `The answer was ${response.statusCode} ${response.statusMessage}.`
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

/** The reason of a failed connection; where several addresses were tried, that of the first. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return first.message || first.code
}
