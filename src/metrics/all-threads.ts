import { AggregatorRegistry } from 'prom-client'
import { isTurnOver, nextTurn } from '../turn.js'
import { areModelCounts, modelText, summedCounts } from './model-counts.js'

// The metrics of all threads: `AggregatorRegistry.aggregate` adds their values up; of a value that all threads share it
// takes the greatest.

/**
 * The values of one or more threads together, in Prometheus' text format.
 *
 * @param threads the first one's come first: of models, those are shown that it knows
 */
export async function metricsText(threads: readonly object[][]): Promise<string> {
  const text = await AggregatorRegistry.aggregate(threads.map(withoutModels)).metrics()
  if (isTurnOver()) await nextTurn()
  return text + (await modelText(summedCounts(threads.flat().filter(areModelCounts))))
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

/** The metrics that prom-client adds up. */
function withoutModels(values: object[]): object[] {
  return values.filter((metric) => !areModelCounts(metric))
}
