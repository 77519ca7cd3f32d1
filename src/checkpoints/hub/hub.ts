import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { MAX_TEXT_BYTES } from '../checkpoint-files.js'
import { hubHome } from '../hub-cache.js'

const DEFAULT_ENDPOINT = 'https://huggingface.co'
const MOST_REDIRECTS = 10
/** Attempts without a byte between them before the command fails. */
const MOST_ATTEMPTS = 5
/** The command fails at once if a server asks for a longer pause. */
const LONGEST_PAUSE_SECONDS = 120
/** Most characters of the Hub's own message that are shown. */
const SHOWN_CHARACTERS = 300

/** A failure between this process and the Hub: one line for the user. */
export class HubError extends Error {
  override readonly name: string = 'HubError'
}

/** A failure that may pass: another attempt is worth it. */
export class PassingError extends HubError {
  /** @param retryAfterSeconds the pause that the server asks for */
  constructor(
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
  }
}

export interface HubSettings {
  /** Without a slash at its end: `https://huggingface.co`. */
  readonly endpoint: string
  /** Sent to the endpoint's origin only. */
  readonly token?: string
  readonly timeoutSeconds: number
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The settings of the Hugging Face libraries: `HF_ENDPOINT`, `HF_TOKEN` or the file that `hf auth login` writes,
 * `HF_HUB_OFFLINE`.
 *
 * Source: huggingface_hub 2.4, `constants.py`, `utils/_auth.py`.
 *
 * @param endpoint instead of `HF_ENDPOINT`
 * @throws HubError for a wrong value, or if `HF_HUB_OFFLINE` forbids the network
 */
export async function hubSettings(
  env: Env,
  timeoutSeconds: number,
  endpoint: string = env.HF_ENDPOINT || DEFAULT_ENDPOINT,
): Promise<HubSettings> {
  if (/^(1|on|yes|true)$/i.test(env.HF_HUB_OFFLINE ?? ''))
    throw new HubError(`HF_HUB_OFFLINE is ${env.HF_HUB_OFFLINE}: nothing is downloaded.`)
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new HubError(`The endpoint must be an http or https address. Given: ${endpoint}`)
  if (url.username !== '' || url.password !== '')
    throw new HubError('The endpoint must have no user and no password: HF_TOKEN is sent instead.')
  return { endpoint: url.href.replace(/\/+$/, ''), token: await tokenOf(env), timeoutSeconds }
}

async function tokenOf(env: Env): Promise<string | undefined> {
  const path = env.HF_TOKEN_PATH || join(hubHome(env), 'token')
  const isGiven = (env.HF_TOKEN ?? '').trim() !== ''
  const token = (isGiven ? env.HF_TOKEN! : await readFile(path, 'utf8').catch(() => '')).trim()
  if (token === '' || /^[\x21-\x7e]+$/.test(token)) return token || undefined
  throw new HubError(`The token of ${isGiven ? 'HF_TOKEN' : path} must be visible ASCII characters.`)
}

export interface Asked {
  /** `org/model`. */
  readonly repository: string
  readonly revision: string
  /** A file of the repository; absent: the list of its files. */
  readonly file?: string
}

/** A successful answer: 200 or 206. */
export interface HubAnswer {
  readonly status: number
  /** Headers of the server that sends the bytes. */
  readonly headers: Headers
  /** Headers of the Hub itself, which may have redirected to another server. */
  readonly linked: Headers
  /** @throws PassingError if the connection breaks, or the server falls silent */
  chunks(): AsyncGenerator<Uint8Array, void, void>
  cancel(): void
}

/** Waits before another attempt, and may show the user why. */
export type Pause = (seconds: number, reason: string, signal: AbortSignal) => Promise<void>

export const pause: Pause = (seconds, _, signal) => wait(seconds * 1000, undefined, { signal })

export class Hub {
  /** @param signal aborted when the user stops */
  constructor(
    readonly settings: HubSettings,
    private readonly signal: AbortSignal,
    private readonly pause: Pause,
  ) {}

  /**
   * Runs `attempt` until it succeeds, with pauses of 1, 2, 4, 8 seconds, or as long as the server asks for.
   *
   * @throws its error if another attempt cannot help, or after too many attempts
   */
  async retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let failed = 1; ; failed++) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof PassingError) || failed >= MOST_ATTEMPTS) throw error
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
   * @param range the value of `Range`
   * @throws HubError for an answer without success, PassingError if another attempt may help
   */
  async get(asked: Asked, range?: string): Promise<HubAnswer> {
    const { endpoint, token } = this.settings
    const { repository, revision, file } = asked
    const path =
      file === undefined
        ? `api/models/${repository}/revision/${encodeURIComponent(revision)}`
        : `${repository}/resolve/${revision}/${file.split('/').map(encodeURIComponent).join('/')}`
    let url = new URL(`${endpoint}/${path}`)
    const { origin } = url
    const linked = new Headers()
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const isOwn = url.origin === origin
      const headers = {
        ...(range !== undefined && { range }),
        ...(isOwn && token !== undefined && { authorization: `Bearer ${token}` }),
      }
      const answer = await this.#send(url, headers, linked)
      if (isOwn) for (const [name, value] of answer.headers) linked.set(name, value)
      if (answer.status === 200 || answer.status === 206) return answer
      answer.cancel()
      const location = answer.headers.get('location')
      if (answer.status < 300 || answer.status > 399 || location === null)
        throw isOwn ? this.#refusal(answer, asked) : failure(`${nameOf(asked)}: ${url.origin}`, answer, '.')
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined
      const isSafe = next?.protocol === 'https:' || (next?.protocol === 'http:' && url.protocol === 'http:')
      if (next === undefined || !isSafe || next.username !== '' || next.password !== '')
        throw new HubError(`${url.origin} redirects to an address that is not followed: ${location}`)
      url = next
    }
    throw new HubError(`${origin} redirects more than ${MOST_REDIRECTS} times.`)
  }

  /** All bytes of a small answer. @throws HubError for one of more than {@link MAX_TEXT_BYTES}, PassingError if it is cut short */
  whole(asked: Asked): Promise<{ readonly bytes: Buffer; readonly etag: string | undefined }> {
    return this.retried(async () => {
      const answer = await this.get(asked)
      try {
        const parts: Uint8Array[] = []
        let length = 0
        for await (const chunk of answer.chunks()) {
          length += chunk.length
          if (length > MAX_TEXT_BYTES)
            throw new HubError(`${nameOf(asked)} must have at most ${MAX_TEXT_BYTES} bytes. It has more.`)
          parts.push(chunk)
        }
        const stated = answer.linked.get('x-linked-size') ?? answer.headers.get('content-length')
        if (stated !== null && length !== Number(stated))
          throw new PassingError(`${nameOf(asked)} broke off at byte ${length} of ${stated}.`)
        return { bytes: Buffer.concat(parts), etag: etagOf(answer) }
      } finally {
        answer.cancel()
      }
    })
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
    const own = { ...headers, 'accept-encoding': 'identity', 'user-agent': 'inlet' }
    const response = await waiting(fetch(url.href, { headers: own, redirect: 'manual', signal }))
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
      cancel: () => controller.abort(),
    }
  }

  /** The Hub's own refusal, with what the user can do. */
  #refusal(answer: HubAnswer, asked: Asked): HubError {
    const { repository, revision } = asked
    const { status, headers } = answer
    const page = `${this.settings.endpoint}/${repository}`
    const code = headers.get('x-error-code')
    const detail = headers.get('x-error-message')?.slice(0, SHOWN_CHARACTERS)
    const end = detail ? `: ${detail}` : '.'
    const token = this.settings.token === undefined ? 'none is given' : 'the one given is refused'
    if (code === 'GatedRepo')
      return new HubError(
        `${repository} is gated. Accept its conditions at ${page}, and give a token of that account in HF_TOKEN: ${token}.`,
      )
    if (code === 'RevisionNotFound') return new HubError(`${repository} has no revision ${revision}.`)
    if (code !== 'RepoNotFound' && ![401, 403, 404].includes(status))
      return failure(`${nameOf(asked)}: the Hub`, answer, end)
    const rule = `then HF_TOKEN must be a token of an account that may read it, and ${token}`
    return new HubError(`${nameOf(asked)} is not at ${page}, or is private: ${rule}${end}`)
  }
}

export function nameOf({ repository, file }: Asked): string {
  return file === undefined ? repository : `${file} of ${repository}`
}

/** An answer without success, which may pass. `Retry-After` is in seconds, or a date. */
function failure(who: string, { status, headers }: HubAnswer, end: string): HubError {
  const message = `${who} answered ${status}${end}`
  if (status !== 429 && status !== 408 && status < 500) return new HubError(message)
  const given = headers.get('retry-after') ?? ''
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1000
  return new PassingError(message, Number.isNaN(seconds) ? undefined : Math.max(0, seconds))
}

/** `W/"abc"` → `abc`. */
export function etagOf({ headers, linked }: HubAnswer): string | undefined {
  const etag = linked.get('x-linked-etag') ?? linked.get('etag') ?? headers.get('etag')
  return etag?.replace(/^W\//, '').replace(/^"(.*)"$/, '$1')
}
