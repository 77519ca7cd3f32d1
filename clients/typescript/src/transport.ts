import { ConnectionFailed, refusal } from './errors.js'
import { LONGEST_WAIT, sleep, tellWait, waitAfter } from './retries.js'
import { Silence } from './silence.js'

export interface ClientOptions {
  /** One of the service's keys; for methods that change models the admin key. */
  readonly key?: string
  /** Seconds that the service may be silent. Default: 60. */
  readonly timeout?: number
  /**
   * How often a call is tried again: where there is no connection, or the service is busy (429, 503) and `Retry-After`
   * asks for at most 30 seconds. Methods that change nothing are also tried again where the connection ends before the
   * whole answer is there. Default: 3.
   */
  readonly retries?: number
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Seconds that the service may be silent. Default: the client's. */
  readonly timeout?: number
  /** How often the call is tried again. Default: the client's. */
  readonly retries?: number
}

export type Body = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Body
  /** Whether asking twice is as good as asking once. */
  readonly repeat: boolean
}

export interface Answer {
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Sends requests with a key, and tries again where that can help and does no harm. */
export class Transport {
  readonly #url: string
  readonly #options: ClientOptions

  constructor(url: string, options: ClientOptions) {
    if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`Not an address of HTTP: ${url}`)
    this.#url = url.replace(/\/+$/, '')
    if (this.#url.endsWith('/v1'))
      throw new TypeError(`The url is without /v1, which the methods add: ${url}`)
    this.#options = options
  }

  /**
   * The answer, where it is not a refusal.
   *
   * @throws Refused | ConnectionFailed; the signal's reason where the caller aborts
   */
  async send(request: Sent, { signal, timeout, retries: asked }: CallOptions): Promise<Answer> {
    const { retries: allowed = 3, timeout: usual = 60 } = this.#options
    const retries = request.body instanceof ReadableStream ? 0 : (asked ?? allowed) // a stream is read once
    for (let attempt = 1; ; attempt++) {
      const silence = new Silence(timeout ?? usual, signal)
      let wait: number
      try {
        return await this.#once(request, silence)
      } catch (error) {
        wait = waitAfter(error, attempt, request.repeat)
        if (attempt > retries || wait > LONGEST_WAIT) throw error
        tellWait(wait, attempt, error as Error)
      } finally {
        silence.end()
      }
      await sleep(wait, signal)
    }
  }

  async #once(request: Sent, silence: Silence): Promise<Answer> {
    const response = await this.#head(request, silence)
    const bytes = await bodyOf(response, silence)
    if (response.ok) return { headers: response.headers, bytes }
    throw refusal(response.status, response.headers, new TextDecoder().decode(bytes))
  }

  async #head(request: Sent, { signal }: Silence): Promise<Response> {
    const { key, fetch: fetched = fetch } = this.#options
    const { method, target, body } = request
    const headers = { ...request.headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
    try {
      const init = { method, headers, body, signal, redirect: 'manual' as const }
      // Fetch asks for `duplex` beside a stream; the types of browsers do not know it.
      const whole = body instanceof ReadableStream ? { ...init, duplex: 'half' as const } : init
      return await fetched(this.#url + target, whole)
    } catch (error) {
      signal.throwIfAborted()
      throw new ConnectionFailed('No answer', { cause: (error as Error).cause ?? error })
    }
  }
}

/** The whole body, in memory of its own. */
async function bodyOf(response: Response, silence: Silence): Promise<Uint8Array<ArrayBuffer>> {
  const packed = response.headers.has('content-encoding')
  const length = packed ? 0 : Number(response.headers.get('content-length') ?? 0)
  let bytes = new Uint8Array(length)
  let end = 0
  try {
    for (const reader = response.body?.getReader(); reader; ) {
      const { done, value } = await reader.read()
      if (done) break
      silence.broken()
      if (end + value.length > bytes.length) bytes = grown(bytes, end + value.length)
      bytes.set(value, end)
      end += value.length
    }
  } catch (error) {
    silence.signal.throwIfAborted()
    throw new ConnectionFailed('The answer broke off', { cause: error })
  }
  if (end < length)
    throw new ConnectionFailed(`The answer broke off: ${length - end} of ${length} bytes are missing`)
  return bytes.subarray(0, end)
}

function grown(bytes: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(needed, 2 * bytes.length))
  larger.set(bytes)
  return larger
}
