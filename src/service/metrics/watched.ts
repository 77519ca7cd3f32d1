import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { tensorCount } from '../../first-layer/embeddings/model.js'
import type { Models } from '../models/library/models.js'
import { CONNECTIONS, type Load, QUEUED } from '../request/load/load.js'

// Metrics of a thread that are read at each scrape, from what measures itself.

export function watchBackend(registry: Registry, models: Pick<Models, 'backend'>): void {
  gauge(registry, 'inlet_tensors', 'TensorFlow.js tensors that live.', 'sum', tensorCount)
  new Gauge({
    name: 'inlet_backend_info',
    help: 'The TensorFlow.js backend that runs; always 1.',
    labelNames: ['backend', 'version'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      const { backend } = models
      if (backend !== undefined) this.set({ backend: backend.name, version: backend.version }, 1)
    },
  })
}

export function watchLoad(registry: Registry, load: Load): void {
  const help = 'Requests whose answer has not ended.'
  gauge(registry, 'inlet_requests_in_flight', help, 'sum', () => load.openRequests)
  gauge(registry, 'inlet_bytes_in_flight', 'Bytes that requests hold.', 'max', () => load.bytes)
  gauge(registry, 'inlet_bytes_in_flight_limit', 'Bytes that requests may hold.', 'max', () => load.maxBytes)
  gauge(registry, 'inlet_queue_depth', 'Requests that wait for room.', 'max', () => load.count(QUEUED))
  gauge(registry, 'inlet_connections', 'Open connections.', 'max', () => load.count(CONNECTIONS))
}

/** Node's own: event-loop delay, memory, CPU, garbage collection. To be called once per thread. */
export function watchNode(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const metric of registry.getMetricsAsArray()) {
    // Each thread measures the whole process here, and the highest delay counts: these values must not add up.
    const ofProcess = metric.name.startsWith('process_')
    const isDelay = /^nodejs_eventloop_lag_(p\d+_)?seconds$/.test(metric.name)
    if (ofProcess || isDelay) Object.assign(metric, { aggregator: 'max' })
  }
}

/** @param aggregator `max` where all threads measure the same thing, `sum` where each measures its own */
function gauge(
  registry: Registry,
  name: string,
  help: string,
  aggregator: 'sum' | 'max',
  value: () => number,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    aggregator,
    collect() {
      this.set(value())
    },
  })
}
