import { Counter, Histogram, type Registry } from 'prom-client'

/** Seconds: from a refusal to a long completion. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const

/** The metrics of requests to the upstream, which are there where a service has one. */
export class UpstreamMetrics {
  readonly #requests: Counter<'route' | 'status'>
  readonly #seconds: Histogram<'route'>
  readonly #bytes: Counter<'direction'>

  constructor(registry: Registry, routes: readonly string[]) {
    const registers = [registry]
    this.#requests = new Counter({
      name: 'inlet_upstream_requests_total',
      help: 'Requests to the upstream, by the class of its answer’s status; none: no answer came.',
      labelNames: ['route', 'status'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'inlet_upstream_seconds',
      help: 'Time from the beginning of a request to the upstream to the last byte of its answer.',
      labelNames: ['route'],
      buckets: BUCKETS,
      registers,
    })
    this.#bytes = new Counter({
      name: 'inlet_upstream_bytes_total',
      help: 'Bytes of bodies to the upstream (sent) and of its answers (received).',
      labelNames: ['direction'],
      registers,
    })
    for (const route of routes) {
      for (const status of CLASSES) this.#requests.inc({ route, status }, 0)
      this.#seconds.zero({ route })
    }
    for (const direction of ['sent', 'received']) this.#bytes.inc({ direction }, 0)
  }

  /** A request to the upstream begins; the function that is returned counts it at its end. */
  begin(route: string): (status: number | undefined, sent: number, received: number) => void {
    const started = performance.now()
    return (status, sent, received) => {
      const known = status === undefined ? 'none' : CLASSES[Math.floor(status / 100) - 2]
      this.#requests.inc({ route, status: known })
      this.#seconds.observe({ route }, (performance.now() - started) / 1000)
      this.#bytes.inc({ direction: 'sent' }, sent)
      this.#bytes.inc({ direction: 'received' }, received)
    }
  }
}
