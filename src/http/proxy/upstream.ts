import http, { type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { Exchange } from './exchange.js'
import { MAX_UPSTREAM_HEADER_BYTES } from './upstream-errors.js'

/** Connections that are kept for later requests. */
const KEPT_CONNECTIONS = 64
/**
 * How long one is kept, in milliseconds. Uvicorn, under vLLM, closes those that were idle for 5 s; a request that goes
 * to such a one at this moment is lost.
 */
const KEPT_MS = 4000

/** The variables of the model server that completions go to. */
export interface UpstreamVariables {
  /** Its address, without `/v1`; absent: there is none. */
  readonly UPSTREAM_URL?: string | undefined
  /** What takes the place of a completion's text. */
  readonly UPSTREAM_SEND: 'rows' | 'ids'
  readonly UPSTREAM_KEY?: string | undefined
  readonly UPSTREAM_KEY_FILE?: string | undefined
  readonly UPSTREAM_TIMEOUT_SECONDS: number
  /** Absent: `MAX_RESPONSE_BYTES`. */
  readonly MAX_UPSTREAM_BODY_BYTES?: number | undefined
  readonly MAX_RESPONSE_BYTES: number
}

/** The model server that completions go to. */
export class Upstream {
  readonly key: string | undefined
  /** Largest body that it gets. */
  readonly maxBodyBytes: number
  readonly #url: string
  readonly #silentSeconds: number
  readonly #transport: typeof http | typeof https
  readonly #agent: http.Agent

  constructor(url: string, variables: UpstreamVariables) {
    this.key = variables.UPSTREAM_KEY ?? variables.UPSTREAM_KEY_FILE
    this.maxBodyBytes = variables.MAX_UPSTREAM_BODY_BYTES ?? variables.MAX_RESPONSE_BYTES
    this.#url = url
    this.#silentSeconds = variables.UPSTREAM_TIMEOUT_SECONDS
    this.#transport = url.startsWith('https:') ? https : http
    this.#agent = new this.#transport.Agent({
      keepAlive: true,
      maxFreeSockets: KEPT_CONNECTIONS,
      timeout: KEPT_MS,
      scheduling: 'lifo', // the connection that was used last is the least likely to be closed meanwhile
    })
  }

  /** Begins a request. @param path `/v1/completions`, with a query string where the caller gave one */
  post(path: string, headers: OutgoingHttpHeaders): Exchange {
    const request = this.#transport.request(this.#url + path, {
      method: 'POST',
      headers,
      agent: this.#agent,
      maxHeaderSize: MAX_UPSTREAM_HEADER_BYTES,
      timeout: 0,
    })
    request.setNoDelay(true)
    return new Exchange(request, this.#silentSeconds)
  }

  close(): void {
    this.#agent.destroy()
  }
}
