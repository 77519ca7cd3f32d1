import { collectDefaultMetrics, type Registry } from 'prom-client'
import { tensorCount } from '../../first-layer/embeddings/model.js'
import type { Models } from '../models/library/models.js'
import { CONNECTIONS, type Load, QUEUED } from '../request/load.js'
import { gauge } from './metrics.js'

// Metrics of a thread that are read at each scrape, from what measures itself.

export function watchBackend(registry: Registry, models: Pick<Models, 'backend'>): void {
  const tensors = 'TensorFlow.js tensors that live.'
  gauge(registry, 'inlet_tensors', tensors, 'sum', [], (shown) => shown.set(tensorCount()))
  const help = 'The TensorFlow.js backend that runs; always 1.'
  gauge(registry, 'inlet_backend_info', help, 'max', ['backend', 'version'], (shown) => {
    const { backend } = models
    if (backend !== undefined) shown.set({ backend: backend.name, version: backend.version }, 1)
  })
}

export function watchLoad(registry: Registry, load: Load): void {
  const add = (name: string, help: string, aggregator: 'sum' | 'max', value: () => number) =>
    gauge(registry, name, help, aggregator, [], (shown) => shown.set(value()))
  add('inlet_requests_in_flight', 'Requests whose answer has not ended.', 'sum', () => load.openRequests)
  add('inlet_bytes_in_flight', 'Bytes that requests hold.', 'max', () => load.bytes)
  add('inlet_bytes_in_flight_limit', 'Bytes that requests may hold.', 'max', () => load.maxBytes)
  add('inlet_queue_depth', 'Requests that wait for room.', 'max', () => load.count(QUEUED))
  add('inlet_connections', 'Open connections.', 'max', () => load.count(CONNECTIONS))
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
