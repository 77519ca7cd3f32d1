import { DownloadTimeout } from './download-timeout.js'
import { type Asked, failureOf, HubError, refusalOf } from './errors.js'
import type { Pause } from './retries.js'
import type { HubSettings } from './settings.js'

const MOST_REDIRECTS = 10

/** A successful answer: 200, 206 or 304. */
export interface HubAnswer {
  readonly status: number
  /** Headers of the server that sends the bytes. */
  readonly headers: Headers
  /** Headers of the Hub itself, which may have redirected to another server. */
  readonly linked: Headers
  /** @throws PassingError if the connection breaks */
  chunks(): AsyncGenerator<Uint8Array, void, void>
  /** Ends an answer that is not read to its end. */
  cancel(): Promise<void>
}

/** Sends requests to a Hub. */
export class Hub {
  /**
   * @param signal aborted when the user stops
   * @param pause waits between two attempts
   */
  constructor(
    private readonly settings: HubSettings,
    readonly signal: AbortSignal,
    readonly pause: Pause,
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
   * Sends one GET and follows redirects to http and https. The token goes to the endpoint's origin only: files lie on other
   * servers, whose addresses are signed.
   *
   * @param path below the endpoint, encoded
   * @throws HubError for an answer without success, PassingError if another attempt may help
   */
  async get(path: string, asked: Asked, headers: Readonly<Record<string, string>> = {}): Promise<HubAnswer> {
    const first = new URL(`${this.endpoint}/${path}`)
    const linked = new Headers()
    let url = first
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const isOwn = url.origin === first.origin
      const { response, timeout } = await this.#send(url, isOwn ? this.#withToken(headers) : headers)
      if (isOwn) for (const [name, value] of response.headers) linked.set(name, value)
      const { status } = response
      const location = response.headers.get('location')
      if (status === 200 || status === 206 || status === 304) return answerOf(response, linked, timeout)
      await discard(response, timeout)
      if (status < 300 || status > 399 || location === null) {
        throw isOwn
          ? refusalOf(status, response.headers, asked)
          : failureOf(status, response.headers, url, asked)
      }
      url = redirected(url, location)
    }
    throw new HubError(`${first.origin} redirects more than ${MOST_REDIRECTS} times.`)
  }

  #withToken(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { token } = this.settings
    return token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` }
  }

  async #send(url: URL, headers: Readonly<Record<string, string>>) {
    const timeout = new DownloadTimeout(url.origin, this.settings.timeoutSeconds, this.signal)
    try {
      const response = await fetch(url.href, {
        headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'inlet' },
        redirect: 'manual',
        signal: timeout.signal,
      })
      timeout.restart()
      return { response, timeout }
    } catch (error) {
      timeout.end()
      throw timeout.reasonOf(error)
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

function answerOf(response: Response, linked: Headers, timeout: DownloadTimeout): HubAnswer {
  return {
    status: response.status,
    headers: response.headers,
    linked,
    async *chunks() {
      try {
        for await (const chunk of response.body ?? []) {
          timeout.pause() // a slow disk is not a silent server
          yield chunk
          timeout.restart()
        }
      } catch (error) {
        throw timeout.reasonOf(error)
      } finally {
        timeout.end()
      }
    },
    cancel: () => discard(response, timeout),
  }
}

async function discard(response: Response, timeout: DownloadTimeout): Promise<void> {
  timeout.end()
  await response.body?.cancel().catch(() => {})
}
