import { Calls } from './calls.js'
import { apiKey } from './store.js'

/** Length of a body from which on it is long. */
const LONG = 65_536

/** Seconds: the page shows how long it has waited, and a call that is superseded is given up. */
const TIMEOUT = 3600

/** The service below which the page lies, with the key that was typed. The page itself decides when to ask again. */
export function service(): Calls {
  const key = apiKey.peek() || undefined
  return new Calls(new URL('.', document.baseURI).href, { key, retries: 0, timeout: TIMEOUT, fetch: inTurn })
}

/** `fetch`. The browser copies a body before it returns: long ones each take a turn, so that no key waits for three. */
const inTurn: typeof fetch = async (address, request) => {
  const { length = 0 } = (request?.body ?? {}) as { length?: number }
  if (length > LONG) await new Promise((resolve) => setTimeout(resolve))
  return fetch(address, request)
}
