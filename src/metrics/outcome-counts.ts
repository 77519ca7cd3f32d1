import { Counter, type Registry } from 'prom-client'
import { Durations } from './durations.js'

/** The result of one request. All its texts are from closed lists, none from the caller. */
export interface Outcome {
  readonly method: string
  /** The route's pattern, `/v1/models/:model`. */
  readonly route: string
  readonly status: number
  readonly format: string
  readonly seconds: number
  /** Bytes of the answer's body that were sent. */
  readonly bytes: number
  readonly tokens: number
  readonly windows: number
}

/** What the requests of one kind have added since the counters were last brought up to date. */
interface Tally {
  readonly method: string
  readonly status: number
  readonly format: string
  requests: number
  bytes: number
  tokens: number
  windows: number
}

/**
 * Counts how requests ended. A counter of prom-client looks its labels up anew for each number that is added, which takes
 * much longer than adding it: numbers are added up here, and given to the counters when somebody reads them.
 */
export class OutcomeCounts {
  readonly #requests: Counter
  readonly #durations = new Durations()
  readonly #responseBytes: Counter
  readonly #tokens: Counter
  readonly #windows: Counter
  readonly #tallies = new Map<string, Tally[]>()

  constructor(registry: Registry) {
    const registers = [registry]
    this.#requests = new Counter({
      name: 'inlet_http_requests_total',
      help: 'Requests answered. Status 499: the client went away before.',
      labelNames: ['method', 'route', 'status', 'format'],
      registers,
    })
    this.#responseBytes = new Counter({
      name: 'inlet_response_bytes_total',
      help: 'Bytes of answers’ bodies.',
      labelNames: ['format'],
      registers,
    })
    this.#tokens = new Counter({
      name: 'inlet_tokens_total',
      help: 'Tokens of requests, also where they failed afterwards.',
      registers,
    })
    this.#windows = new Counter({
      name: 'inlet_windows_total',
      help: 'Windows of the requests that were answered.',
      registers,
    })
  }

  /** Puts the counters of a route's formats into the metrics at zero, before the first request. */
  declareRoute(method: string, route: string, formats: readonly string[]): void {
    for (const format of formats) {
      this.#requests.inc({ method, route, status: '200', format }, 0)
      this.#durations.declare(route, format)
      this.#responseBytes.inc({ format }, 0)
    }
  }

  count({ method, route, status, format, seconds, bytes, tokens, windows }: Outcome): void {
    this.#durations.observe(route, format, seconds)
    const tally = this.#tally(route, method, status, format)
    tally.requests++
    tally.bytes += bytes
    tally.tokens += tokens
    tally.windows += windows
  }

  /** Gives the counters what was counted since the last call; returns the durations, as a registry gives its metrics. */
  bringUpToDate(): object {
    for (const [route, tallies] of this.#tallies) {
      for (const { method, status, format, requests, bytes, tokens, windows } of tallies) {
        this.#requests.inc({ method, route, status: String(status), format }, requests)
        this.#responseBytes.inc({ format }, bytes)
        this.#tokens.inc(tokens)
        this.#windows.inc(windows)
      }
    }
    this.#tallies.clear()
    return this.#durations.figures()
  }

  #tally(route: string, method: string, status: number, format: string): Tally {
    let tallies = this.#tallies.get(route)
    if (tallies === undefined) {
      tallies = []
      this.#tallies.set(route, tallies)
    }
    for (const each of tallies) {
      if (each.status === status && each.format === format && each.method === method) return each
    }
    const tally = { method, status, format, requests: 0, bytes: 0, tokens: 0, windows: 0 }
    tallies.push(tally)
    return tally
  }
}
