import { AggregatorRegistry } from 'prom-client'

// The metrics of all threads: `AggregatorRegistry.aggregate` adds their values up; of a value that all threads share it
// takes the greatest.

/** The values of one or more threads together, in Prometheus' text format. */
export function metricsText(threads: readonly object[][]): Promise<string> {
  return AggregatorRegistry.aggregate([...threads]).metrics()
}

/** The gauge `inlet_thread_stale`, for `metricsText`: 1 for each thread that did not answer in time. */
export function staleThreads(threads: number, stale: readonly number[]): object[] {
  const values = Array.from({ length: threads }, (_, thread) => ({
    labels: { thread: String(thread) },
    value: stale.includes(thread) ? 1 : 0,
  }))
  const help = '1: the thread did not answer within a second, and counts as it did before.'
  return [{ name: 'inlet_thread_stale', help, type: 'gauge', values, aggregator: 'max' }]
}
