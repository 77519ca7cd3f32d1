import { HubError, MissingFileError, PassingError } from './hub-error.js'

/** What was asked for, for messages. */
export interface Asked {
  /** `org/model`. */
  readonly repository: string
  readonly revision: string
  /** A file of the repository; absent where the repository itself was asked for. */
  readonly file?: string
  /** Where a person sees the repository. */
  readonly page: string
  readonly hasToken: boolean
}

const SHOWN_CHARACTERS = 300

/** The error for an answer of the Hub that is not one of success: says what the user can do. */
export function refusalOf(status: number, headers: Headers, asked: Asked): HubError {
  const { repository, revision, file, page } = asked
  const code = headers.get('x-error-code')
  const said = headers.get('x-error-message')?.slice(0, SHOWN_CHARACTERS)
  const what = file === undefined ? repository : `${file} of ${repository}`
  if (code === 'GatedRepo') return new HubError(gated(asked))
  if (code === 'RevisionNotFound') return new HubError(`${repository} has no revision ${revision}.`)
  if (code === 'EntryNotFound' || (status === 404 && file !== undefined && code === null)) {
    return new MissingFileError(`${repository} has no file ${file} in ${revision}.`)
  }
  if (code === 'RepoNotFound' || status === 401 || status === 403 || status === 404) {
    return new HubError(`${what} is not at ${page}${private_(asked, status)}${ending(said)}`)
  }
  return failure(`${what}: the Hub answered ${status}${ending(said)}`, status, headers)
}

/** The error for such an answer of a server that the Hub has sent us to. */
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

function private_({ hasToken }: Asked, status: number): string {
  if (status === 404) return ', or is private: then HF_TOKEN must be a token of an account that may read it'
  const token = hasToken ? 'the token is refused' : 'no token is given'
  return `, or is private: ${token}. HF_TOKEN must be a token of an account that may read it`
}

const ending = (said: string | undefined) => (said ? `: ${said}` : '.')

/** `Retry-After` in seconds: a number of them, or a date. */
function retryAfter(headers: Headers): number | undefined {
  const given = headers.get('retry-after')
  if (given === null) return undefined
  if (/^\d+$/.test(given)) return Number(given)
  const seconds = (Date.parse(given) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
