import { Calls } from '../calls.js'

/** An answer of the service, as it came, with the request that it answers. */
export interface Recorded {
  /** Path and query. */
  readonly target: string
  /** The request's body; absent: a GET. */
  readonly sent?: string
  readonly type: string
  /** The answer's bytes, in base64. */
  readonly body: string
}

const ADDRESS = 'http://recorded'

/** A client that gets its answers from `answer`, by a request's path and query, and its JSON. */
export function clientOf(
  answer: (target: string, sent: string | undefined, request: RequestInit) => Promise<Response>,
): Calls {
  const fetched = (address: unknown, request: RequestInit = {}) =>
    answer(String(address).slice(ADDRESS.length), request.body as string | undefined, request)
  return new Calls(ADDRESS, { fetch: fetched as typeof fetch, retries: 0 })
}

/** Answers from a recording: the first preset paints before any call is made. */
export function fromRecording(recording: readonly Recorded[]): Calls {
  return clientOf(async (target, sent) => {
    const found = recording.find((each) => each.target === target && each.sent === sent)
    if (found === undefined) throw new Error(`${target} is not recorded`)
    const bytes = Uint8Array.from(atob(found.body), (letter) => letter.charCodeAt(0))
    return new Response(bytes, { headers: { 'content-type': found.type } })
  })
}
