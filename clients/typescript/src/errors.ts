/** Any failure of a call, but for a caller's own abort. */
export class InletError extends Error {
  override readonly name: string = 'InletError'
}

/** No connection, or one that ended before the whole answer was there. */
export class ConnectionFailed extends InletError {
  override readonly name: string = 'ConnectionFailed'
}

/** The service was silent for longer than `timeout`. */
export class TimedOut extends ConnectionFailed {
  override readonly name: string = 'TimedOut'
}

export interface Refusal {
  /** The HTTP status, as 422. */
  readonly status: number
  /** The service's own name for it, as `context_too_long`; null where something between has answered. */
  readonly code: string | null
  /** The field that is wrong, as `position_embedding.base`. */
  readonly param: string | null
  /** Under which the service has logged the request. */
  readonly requestId: string | null
  /** Seconds until another try makes sense. */
  readonly retryAfter: number | null
}

/** The service answered with an error. */
export class Refused extends InletError implements Refusal {
  override readonly name: string = 'Refused'
  readonly status: number
  readonly code: string | null
  readonly param: string | null
  readonly requestId: string | null
  readonly retryAfter: number | null

  constructor(message: string, refusal: Refusal) {
    super(message)
    this.status = refusal.status
    this.code = refusal.code
    this.param = refusal.param
    this.requestId = refusal.requestId
    this.retryAfter = refusal.retryAfter
  }
}

/** An error answer as an exception; what something between has answered, by its first line. */
export function refusal(status: number, headers: Headers, text: string): Refused {
  const retryAfter = secondsOf(headers.get('retry-after'))
  const shared = { status, requestId: headers.get('x-request-id'), retryAfter }
  const error = errorOf(text)
  if (error !== undefined)
    return new Refused(error.message, { ...shared, code: error.code, param: error.param })
  if (status === 304)
    return new Refused('The caller has the newest tables', { ...shared, code: 'not_modified', param: null })
  const first = text.trim().split('\n')[0].slice(0, 200)
  return new Refused(`${status}: ${first || 'an empty answer'}`, { ...shared, code: null, param: null })
}

function errorOf(text: string): { code: string; message: string; param: string | null } | undefined {
  try {
    const { error } = JSON.parse(text)
    return typeof error?.code === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

/** `Retry-After`: a number of seconds, or a date. Others are as if there were none. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null
  if (/^\s*\d+\s*$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000)
}
