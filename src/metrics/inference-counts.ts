import type { ModelEntry } from '../models/entry.js'

/** One thread's figures of inferences, by model. Can be posted. */
export interface InferenceMetrics {
  readonly type: 'inferences'
  readonly ids: readonly string[]
  /** For each model, one after the other: the numbers of {@link SERIES}. */
  readonly numbers: Float64Array
}

/** Times are nanoseconds; `last` is a Unix time in milliseconds, of which the greatest counts. */
export const SERIES = [
  ...(['items', 'last', 'successes', 'successNs', 'failures', 'failureNs'] as const),
  ...(['queueNs', 'inputNs', 'inferNs', 'outputNs'] as const),
] as const

export type InferenceSums = Record<(typeof SERIES)[number], number>

export function noInferences(): InferenceSums {
  return Object.fromEntries(SERIES.map((name) => [name, 0])) as InferenceSums
}

/** Adds figures to sums. */
export function addSums(sums: InferenceSums, more: InferenceSums): void {
  for (const name of SERIES) {
    sums[name] = name === 'last' ? Math.max(sums.last, more.last) : sums[name] + more[name]
  }
}

/** Counts the inferences of each model in one thread. */
export class InferenceCounts {
  readonly #sums = new Map<string, InferenceSums>()

  add(id: string, sums: InferenceSums): void {
    const known = this.#sums.get(id)
    if (known === undefined) this.#sums.set(id, sums)
    else addSums(known, sums)
  }

  /** The figures of the models that there are now; those of all others are forgotten. */
  figures(entries: readonly ModelEntry[]): InferenceMetrics {
    const known = new Set(entries.map(({ card }) => card.id))
    for (const id of this.#sums.keys()) if (!known.has(id)) this.#sums.delete(id)
    return inferenceMetrics(this.#sums)
  }
}

export function areInferenceMetrics(metric: object): metric is InferenceMetrics {
  return (metric as InferenceMetrics).type === 'inferences'
}

/** The figures of several threads together, by model. */
export function summedInferences(all: Iterable<InferenceMetrics>): Map<string, InferenceSums> {
  const sums = new Map<string, InferenceSums>()
  for (const { ids, numbers } of all) {
    for (const [i, id] of ids.entries()) {
      const own = SERIES.map((name, series) => [name, numbers[i * SERIES.length + series]!] as const)
      const known = sums.get(id) ?? noInferences()
      addSums(known, Object.fromEntries(own) as InferenceSums)
      sums.set(id, known)
    }
  }
  return sums
}

export function inferenceMetrics(sums: ReadonlyMap<string, InferenceSums>): InferenceMetrics {
  const numbers = Float64Array.from([...sums.values()].flatMap((each) => SERIES.map((name) => each[name])))
  return { type: 'inferences', ids: [...sums.keys()], numbers }
}
