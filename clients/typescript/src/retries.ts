import { ConnectionFailed, Refused, TimedOut } from './errors.js'

/** Seconds. A service that asks for more is not waited for. */
export const LONGEST_WAIT = 30
/** Seconds between two tries that the service has not named. */
const LONGEST_OWN_WAIT = 5
/** Seconds: shorter waits are not told. */
const TOLD_FROM = 1
const FIRST_WAIT = 0.1
const BUSY = [429, 503]

/**
 * Seconds before the next try: what the service asks for, or twice as many each time, by chance a little less; infinite
 * where another try does not help.
 *
 * @param attempt 1 after the first try
 * @param mayRepeat whether asking twice is as good as asking once
 */
export function waitAfter(error: unknown, attempt: number, mayRepeat: boolean): number {
  const own = Math.min(LONGEST_OWN_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  if (error instanceof Refused) return mayPass(error) ? (error.retryAfter ?? own) : Number.POSITIVE_INFINITY
  const isOfConnection = error instanceof ConnectionFailed && !(error instanceof TimedOut)
  return isOfConnection && (mayRepeat || hasNotArrived(error)) ? own : Number.POSITIVE_INFINITY
}

/** Warns before a long wait, so that a loop that stands still gives its reason. */
export function tellWait(seconds: number, attempt: number, { message }: Error): void {
  if (seconds >= TOLD_FROM)
    console.warn(`inlet-client: waiting ${seconds.toFixed(1)} s for try ${attempt + 1}: ${message}`)
}

/** Whether the service may answer soon: it names a time, or a proxy before it is busy. */
function mayPass({ status, retryAfter, code }: Refused): boolean {
  return BUSY.includes(status) && (retryAfter !== null || code === null)
}

/** Whether a request has not reached the service: `fetch` of Node gives the reason as `cause`. */
function hasNotArrived(error: ConnectionFailed): boolean {
  const { code } = (error.cause ?? {}) as { code?: string }
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
