import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { CommandError } from './exit.js'
import type { Service } from './local-service.js'

/** A text and what to make of it. */
export interface TextCall {
  /** Of `POST /v1/input-embeddings`, without the question mark. */
  readonly query: string
  readonly accept: string
  readonly text: Readable
  readonly bytes?: number
  /** Told of bytes that the service has taken. */
  sent(bytes: number): void
  readonly signal: AbortSignal
}

/** How long a service that does not know `Expect: 100-continue` is waited for before the text is sent anyway. */
const CONTINUE_MS = 1000
const MAX_ERROR_BYTES = 1 << 16

/**
 * Sends a text as it is read, and answers as soon as the answer's head is there. The service looks at the
 * options first: a request that it refuses costs no upload.
 *
 * `node:http` rather than `fetch`: `fetch` gives up when the head takes five minutes, and cannot wait for a
 * `100 Continue`.
 *
 * @throws CommandError with the service's own message, or what became of the connection
 */
export async function callEmbeddings(service: Service, call: TextCall): Promise<IncomingMessage> {
  const url = new URL(`v1/input-embeddings?${call.query}`, withSlash(service.url))
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, {
    method: 'POST',
    headers: headersOf(service, call),
    signal: call.signal,
    agent: false,
  })
  const response = await exchange(request, call).catch((error: Error) => {
    throw new CommandError(`${url.origin} did not answer: ${reasonOf(error)}`, { cause: error })
  })
  if (response.statusCode === 200) return response
  request.on('error', () => {}) // the text that is left is not wanted
  throw new CommandError(await refusal(response))
}

function headersOf({ key }: Service, { accept, bytes }: TextCall): Record<string, string> {
  return {
    accept,
    'content-type': 'text/plain; charset=utf-8',
    expect: '100-continue',
    ...(bytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
}

/** The answer's head; the text goes out once it is asked for. */
function exchange(request: ClientRequest, call: TextCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isAnswered = false
    let isSending = false
    const start = () => {
      clearTimeout(patience)
      if (isSending || isAnswered) return
      isSending = true
      upload(request, call, () => isAnswered).catch((error) => {
        if (isAnswered) return
        reject(error)
        request.destroy()
      })
    }
    const patience = setTimeout(start, CONTINUE_MS)
    request.on('continue', start)
    request.on('response', (response) => {
      isAnswered = true
      clearTimeout(patience)
      resolve(response)
    })
    request.on('error', (error) => {
      clearTimeout(patience)
      reject(error)
    })
    request.flushHeaders()
  })
}

async function upload(request: ClientRequest, call: TextCall, isAnswered: () => boolean): Promise<void> {
  for await (const chunk of call.text) {
    if (isAnswered() || request.destroyed) return
    await new Promise<void>((resolve) => {
      request.write(chunk, () => resolve()) // what goes wrong is told by 'error'
    })
    call.sent(chunk.length)
  }
  request.end()
}

/** The message of the error body; where another server answered, its status. */
async function refusal(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_ERROR_BYTES) break
    }
    const { error } = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof error.message === 'string') return error.message
  } catch {
    // not one of the service's own errors
  }
  return `The answer was ${response.statusCode} ${response.statusMessage}.`
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

/** Where several addresses were tried, the first one's reason. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return first.message || first.code
}
