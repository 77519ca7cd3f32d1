import type { ErrorBody } from './types.js'

/** A call that gave no answer: refused by the service, or never there. */
export class ApiError extends Error {
  /** 0: no answer came. */
  readonly status: number
  readonly code: string
  /** Name of the field that the service names. */
  readonly param: string | null
  /** Seconds after which the service asks to be tried again. */
  readonly retryAfter: number | undefined

  constructor(status: number, code: string, message: string, param: string | null, retryAfter?: number) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.param = param
    this.retryAfter = retryAfter
  }
}

/** The error that a response tells of: the service's own words, or its status where another has answered. */
export async function errorOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const after = Number.isFinite(retryAfter) ? retryAfter : undefined
  try {
    const { error } = (await response.json()) as ErrorBody
    return new ApiError(response.status, error.code, error.message, error.param, after)
  } catch {
    const message = `${response.status} ${response.statusText}`.trim()
    return new ApiError(response.status, 'unknown', message, null, after)
  }
}

/** What is thrown where no answer came: `code` is `offline`. */
export function offline(cause: unknown): ApiError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ApiError(0, 'offline', `The service does not answer (${reason}).`, null)
}
