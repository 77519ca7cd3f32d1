import type { Refused } from './errors.js'

/** Seconds. A service that asks for more is not waited for. */
export const LONGEST_WAIT = 30
const FIRST_WAIT = 0.1
const BUSY = [429, 503]

/**
 * Seconds before the next try: what the service asks for, or twice as many each time, by chance a little less.
 *
 * @param attempt 1 after the first try
 */
export function waitBefore(attempt: number, retryAfter: number | null): number {
  const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))
  return retryAfter ?? longest * (0.5 + Math.random() / 2)
}

/** Whether the service may answer soon: it names a time, or a proxy before it is busy. */
export function mayPass({ status, retryAfter, code }: Refused): boolean {
  return BUSY.includes(status) && (retryAfter !== null || code === null)
}

/** Whether a request has not reached the service: `fetch` of Node gives the reason as `cause`. */
export function hasNotArrived(error: unknown): boolean {
  const code = (error as { cause?: { code?: string } }).cause?.code
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(code ?? '')
}

/** @throws the signal's reason, where it aborts before the time is over */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, seconds * 1000)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
