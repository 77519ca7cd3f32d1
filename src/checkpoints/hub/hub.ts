import { HubError } from './hub-error.js'
import { type Asked, failureOf, refusalOf } from './refusals.js'
import type { Pause } from './retries.js'
import type { HubSettings } from './settings.js'
import { Silence } from './silence.js'

const MOST_REDIRECTS = 10

/** An answer of success: 200, 206 or 304. */
export interface HubAnswer {
  readonly status: number
  /** Of the server that sends the bytes. */
  readonly headers: Headers
  /** Of the Hub itself, which may have sent us on to another server. */
  readonly linked: Headers
  /** @throws PassingError where it breaks off */
  chunks(): AsyncGenerator<Uint8Array, void, void>
  /** For an answer that is not read, or not to its end. */
  cancel(): Promise<void>
}

/** Asks a Hub over HTTP. */
export class Hub {
  /**
   * @param signal aborted when the user wants to stop
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

  /** What to say about a request in messages. */
  asked(repository: string, revision: string, file?: string): Asked {
    const page = `${this.endpoint}/${repository}`
    return { repository, revision, file, page, hasToken: this.settings.token !== undefined }
  }

  /**
   * One GET, following redirects to http and https. The token goes to the endpoint's origin alone: files lie on other
   * servers, whose addresses are signed.
   *
   * @param path below the endpoint, encoded
   * @throws HubError where the answer is none of success, PassingError where another attempt may help
   */
  async get(path: string, asked: Asked, headers: Readonly<Record<string, string>> = {}): Promise<HubAnswer> {
    const first = new URL(`${this.endpoint}/${path}`)
    const linked = new Headers()
    let url = first
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const isOwn = url.origin === first.origin
      const { response, silence } = await this.#send(url, isOwn ? this.#withToken(headers) : headers)
      if (isOwn) for (const [name, value] of response.headers) linked.set(name, value)
      const { status } = response
      const location = response.headers.get('location')
      if (status === 200 || status === 206 || status === 304) return answerOf(response, linked, silence)
      await discard(response, silence)
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
    const silence = new Silence(url.origin, this.settings.timeoutSeconds, this.signal)
    try {
      const response = await fetch(url.href, {
        headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'inlet' },
        redirect: 'manual',
        signal: silence.signal,
      })
      silence.broken()
      return { response, silence }
    } catch (error) {
      silence.end()
      throw silence.reasonOf(error)
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

function answerOf(response: Response, linked: Headers, silence: Silence): HubAnswer {
  return {
    status: response.status,
    headers: response.headers,
    linked,
    async *chunks() {
      try {
        for await (const chunk of response.body ?? []) {
          silence.hold() // a slow disk is not the server's silence
          yield chunk
          silence.broken()
        }
      } catch (error) {
        throw silence.reasonOf(error)
      } finally {
        silence.end()
      }
    },
    cancel: () => discard(response, silence),
  }
}

async function discard(response: Response, silence: Silence): Promise<void> {
  silence.end()
  await response.body?.cancel().catch(() => {})
}
