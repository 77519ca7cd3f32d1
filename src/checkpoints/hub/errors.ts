/** A failure between this process and the Hub: one line for the user. */
export class HubError extends Error {
  override readonly name: string = 'HubError'
}

/** A failure that may pass: another attempt is worth it. */
export class PassingError extends HubError {
  override readonly name = 'PassingError'

  constructor(
    message: string,
    /** Seconds that the server asks to wait. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
  }
}

/** A request to a Hub, for messages. */
export interface Asked {
  /** `org/model`. */
  readonly repository: string
  readonly revision: string
  /** A file of the repository; absent if the repository itself was requested. */
  readonly file?: string
  /** The repository's web page. */
  readonly page: string
  readonly hasToken: boolean
}

/** Most characters of the Hub's own message that are shown. */
const SHOWN_CHARACTERS = 300

/** The error for an answer of the Hub without success, with what the user can do. */
export function refusalOf(status: number, headers: Headers, asked: Asked): HubError {
  const { repository, revision, file, page } = asked
  const code = headers.get('x-error-code')
  const detail = headers.get('x-error-message')?.slice(0, SHOWN_CHARACTERS)
  const end = detail ? `: ${detail}` : '.'
  const name = file === undefined ? repository : `${file} of ${repository}`
  if (code === 'GatedRepo') return new HubError(gated(asked))
  if (code === 'RevisionNotFound') return new HubError(`${repository} has no revision ${revision}.`)
  if (code === 'EntryNotFound' || (status === 404 && file !== undefined && code === null))
    return new HubError(`${repository} has no file ${file} in ${revision}.`)
  if (code === 'RepoNotFound' || status === 401 || status === 403 || status === 404)
    return new HubError(`${name} is not at ${page}${maybePrivate(asked, status)}${end}`)
  return failure(`${name}: the Hub answered ${status}${end}`, status, headers)
}

/** The error for such an answer of a server to which the Hub redirects. */
export function failureOf(status: number, headers: Headers, { origin }: URL, asked: Asked): HubError {
  return failure(`${asked.file} of ${asked.repository}: ${origin} answered ${status}.`, status, headers)
}

function failure(message: string, status: number, headers: Headers): HubError {
  const mayPass = status === 429 || status === 408 || status >= 500
  return mayPass ? new PassingError(message, retryAfter(headers)) : new HubError(message)
}

function gated({ repository, page, hasToken }: Asked): string {
  const accept = `Accept its conditions at ${page}`
  return hasToken
    ? `${repository} is gated, and your token's account has no access. ${accept}, and wait until its owner has granted access.`
    : `${repository} is gated. ${accept}, and give a token of that account in HF_TOKEN.`
}

function maybePrivate({ hasToken }: Asked, status: number): string {
  if (status === 404) return ', or is private: then HF_TOKEN must be a token of an account that may read it'
  const token = hasToken ? 'the token is refused' : 'no token is given'
  return `, or is private: ${token}. HF_TOKEN must be a token of an account that may read it`
}

/** `Retry-After` in seconds, given as a number or a date. */
function retryAfter(headers: Headers): number | undefined {
  const given = headers.get('retry-after')
  if (given === null) return undefined
  if (/^\d+$/.test(given)) return Number(given)
  const seconds = (Date.parse(given) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
