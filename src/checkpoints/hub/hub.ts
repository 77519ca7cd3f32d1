import { setTimeout as wait } from 'node:timers/promises'
import { type Asked, failureOf, HubError, PassingError, refusalOf } from './errors.js'
import type { HubSettings } from './settings.js'

const MOST_REDIRECTS = 10
/** Attempts without a byte between them before the command fails. */
const MOST_ATTEMPTS = 5
/** The command fails at once if a server asks for a longer pause. */
const LONGEST_PAUSE_SECONDS = 120

/** A successful answer: 200 or 206. */
export interface HubAnswer {
  readonly status: number
  /** Headers of the server that sends the bytes. */
  readonly headers: Headers
  /** Headers of the Hub itself, which may have redirected to another server. */
  readonly linked: Headers
  /** @throws PassingError if the connection breaks, or the server falls silent */
  chunks(): AsyncGenerator<Uint8Array, void, void>
  /** Ends an answer that is not read to its end. */
  cancel(): Promise<void>
}

/** Waits before another attempt, and may show the user why. */
export type Pause = (seconds: number, reason: string, signal: AbortSignal) => Promise<void>

export const pause: Pause = (seconds, _, signal) => wait(seconds * 1000, undefined, { signal })

/** Sends requests to a Hub. */
export class Hub {
  /**
   * @param signal aborted when the user stops
   * @param pause waits between two attempts
   */
  constructor(
    private readonly settings: HubSettings,
    private readonly signal: AbortSignal,
    private readonly pause: Pause,
  ) {}

  get endpoint(): string {
    return this.settings.endpoint
  }

  /** A request's facts for messages. */
  asked(repository: string, revision: string, file?: string): Asked {
    const page = `${this.endpoint}/${repository}`
    return { repository, revision, file, page, hasToken: this.settings.token !== undefined }
  }

  /**
   * Runs `attempt` until it succeeds, with pauses of 1, 2, 4, 8 seconds, or as long as the server asks for.
   *
   * @param attempt gets a function that it calls when bytes arrive: this resets the count of failures
   * @throws its error if another attempt cannot help, or after too many attempts
   */
  async retried<Result>(attempt: (progress: () => void) => Promise<Result>): Promise<Result> {
    for (let failed = 0; ; ) {
      try {
        return await attempt(() => {
          failed = 0
        })
      } catch (error) {
        if (!(error instanceof PassingError) || ++failed >= MOST_ATTEMPTS) throw error
        const seconds = error.retryAfterSeconds ?? 2 ** (failed - 1)
        if (seconds > LONGEST_PAUSE_SECONDS) throw error
        await this.pause(seconds, error.message, this.signal)
      }
    }
  }

  /**
   * Sends one GET and follows redirects to http and https. The token goes to the endpoint's origin only: files lie on other
   * servers, whose addresses are signed.
   *
   * @param path below the endpoint, encoded
   * @throws HubError for an answer without success, PassingError if another attempt may help
   */
  async get(path: string, asked: Asked, headers: Readonly<Record<string, string>> = {}): Promise<HubAnswer> {
    const { token } = this.settings
    const first = new URL(`${this.endpoint}/${path}`)
    const linked = new Headers()
    let url = first
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const isOwn = url.origin === first.origin
      const own = isOwn && token !== undefined ? { ...headers, authorization: `Bearer ${token}` } : headers
      const answer = await this.#send(url, own, linked)
      if (isOwn) for (const [name, value] of answer.headers) linked.set(name, value)
      const { status } = answer
      if (status === 200 || status === 206) return answer
      await answer.cancel()
      const location = answer.headers.get('location')
      if (status < 300 || status > 399 || location === null)
        throw isOwn ? refusalOf(status, answer.headers, asked) : failureOf(status, answer.headers, url, asked)
      url = redirected(url, location)
    }
    throw new HubError(`${first.origin} redirects more than ${MOST_REDIRECTS} times.`)
  }

  /** The time-out runs while the server is waited for: a slow disk is not a silent server. */
  async #send(url: URL, headers: Readonly<Record<string, string>>, linked: Headers): Promise<HubAnswer> {
    const { timeoutSeconds } = this.settings
    const controller = new AbortController()
    const signal = AbortSignal.any([this.signal, controller.signal])
    const silent = new PassingError(`${url.origin} was silent for ${timeoutSeconds} s.`)
    const waiting = async <T>(awaited: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => controller.abort(silent), timeoutSeconds * 1000)
      try {
        return await awaited
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const { message, cause } = error as Error
        const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
        throw new PassingError(`${url.origin} cannot be read: ${why}`)
      } finally {
        clearTimeout(timer)
      }
    }
    const response = await waiting(
      fetch(url.href, {
        headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'inlet' },
        redirect: 'manual',
        signal,
      }),
    )
    return {
      ...{ status: response.status, headers: response.headers, linked },
      async *chunks() {
        const reader = response.body?.getReader()
        for (;;) {
          const { done = true, value } = (await (reader && waiting(reader.read()))) ?? {}
          if (done) return
          yield value!
        }
      },
      cancel: async () => controller.abort(),
    }
  }
}

/** @throws HubError for an address that must not be followed */
function redirected(from: URL, location: string): URL {
  const refuse = (rule: string) => new HubError(`${from.origin} redirects to ${rule}: ${location}`)
  if (!URL.canParse(location, from.href)) throw refuse('no address')
  const url = new URL(location, from)
  if (!/^https?:$/.test(url.protocol)) throw refuse('an address that is neither http nor https')
  if (from.protocol === 'https:' && url.protocol === 'http:') throw refuse('an address without encryption')
  if (url.username !== '' || url.password !== '') throw refuse('an address with a user or a password')
  return url
}

/**
 * The bytes of all chunks.
 *
 * @param most bytes; a longer stream throws `tooLong`
 */
export async function collected(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  tooLong: Error,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > most) throw tooLong
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}
