import { AggregatorRegistry } from 'prom-client'
import { Pace } from '../turn.js'
import { areInferenceMetrics, inferenceMetrics, summedInferences } from './inference-counts.js'
import { areModelMetrics, type ModelMetrics, modelText, summed } from './model-counts.js'

// The metrics of all threads: `AggregatorRegistry.aggregate` adds their values up; of a value that all threads share it
// takes the greatest.

/** A metric as the registry gives it. */
interface Measured {
  readonly type: string
}
const NO_MODELS: ModelMetrics = { type: 'models', ids: [], numbers: new Float64Array() }

/**
 * The values of one or more threads together, in Prometheus' text format.
 *
 * @param threads the first one's come first: of models, those are shown that it knows
 */
export async function metricsText(threads: readonly object[][]): Promise<string> {
  const pace = new Pace()
  const [known = NO_MODELS, ...others] = threads.flatMap((values) => values.filter(areModelMetrics))
  const text = await AggregatorRegistry.aggregate(threads.map(withoutFigures)).metrics()
  if (pace.isOver) await pace.nextTurn()
  return text + (await modelText(summed(known, others), pace))
}

/** Adds the counters and histograms of a thread that has ended to `ended`; its gauges are dropped. */
export async function keepCounts(ended: object[], values: object[]): Promise<object[]> {
  const counts = values.filter((metric) => ['counter', 'histogram'].includes((metric as Measured).type))
  const sums = await AggregatorRegistry.aggregate([withoutFigures(ended), counts]).getMetricsAsJSON()
  return [...sums, ...[...ended, ...values].filter((metric) => !isMeasured(metric))]
}

/** `ended` without the models that the living thread does not know. */
export function keepModels(ended: object[], living: object[] = []): object[] {
  const known = living.find(areModelMetrics)
  if (known === undefined || ended.length === 0) return ended
  const none = { ...known, numbers: new Float64Array(known.numbers.length) }
  const inferences = summedInferences(ended.filter(areInferenceMetrics))
  for (const id of inferences.keys()) if (!known.ids.includes(id)) inferences.delete(id)
  return [...withoutFigures(ended), summed(none, ended.filter(areModelMetrics)), inferenceMetrics(inferences)]
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

/** Whether a metric is one of prom-client's, not figures of our own. */
function isMeasured(metric: object): boolean {
  return !areModelMetrics(metric) && !areInferenceMetrics(metric)
}

function withoutFigures(values: object[]): object[] {
  return values.filter(isMeasured)
}
