import type { ModelEntry } from '../models/entry.js'
import { heldBytes } from '../models/keeper/eviction.js'
import type { Pace } from '../turn.js'

/**
 * One thread's figures of all models. Not metrics of prom-client, which takes tens of milliseconds in one turn to
 * gather those of a thousand models from eight threads. Can be posted.
 */
export interface ModelMetrics {
  readonly type: 'models'
  readonly ids: readonly string[]
  /** For each model, one after the other: the numbers of {@link SERIES}. */
  readonly numbers: Float64Array
}

const SERIES = [
  {
    name: 'inlet_model_requests_total',
    help: 'Requests that used a model that there is now.',
    type: 'counter',
  },
  {
    name: 'inlet_model_tokens_total',
    help: 'Tokens of the requests that used a model that there is now.',
    type: 'counter',
  },
  {
    name: 'inlet_table_bytes',
    help: 'Bytes of a model’s tables, which all threads share.',
    type: 'gauge',
  },
] as const
const [REQUESTS, TOKENS, BYTES] = [0, 1, 2]

/** Lines that are written between two looks at the turn's time. */
const LINES_A_STEP = 64

/** Counts the requests of each model in one thread. */
export class ModelCounts {
  readonly #counts = new Map<string, { requests: number; tokens: number }>()

  count(id: string, tokens: number): void {
    const counts = this.#counts.get(id)
    if (counts === undefined) this.#counts.set(id, { requests: 1, tokens })
    else {
      counts.requests++
      counts.tokens += tokens
    }
  }

  /** A model was deleted: another one of its name begins at 0. */
  forget(id: string): void {
    this.#counts.delete(id)
  }

  /** The figures of the models that there are now. */
  figures(entries: readonly ModelEntry[]): ModelMetrics {
    const ids = entries.map(({ card }) => card.id)
    const numbers = new Float64Array(ids.length * SERIES.length)
    for (const [i, entry] of entries.entries()) {
      const { requests = 0, tokens = 0 } = this.#counts.get(ids[i]) ?? {}
      numbers.set([requests, tokens, heldBytes(entry)], i * SERIES.length)
    }
    return { type: 'models', ids, numbers }
  }
}

export function areModelMetrics(metric: object): metric is ModelMetrics {
  return (metric as ModelMetrics).type === 'models'
}

/** The counts of several threads together, of the models that `known` lists; bytes as `known` has them. */
export function summed(known: ModelMetrics, others: Iterable<ModelMetrics>): ModelMetrics {
  const { ids } = known
  const numbers = Float64Array.from(known.numbers)
  const places = new Map(ids.map((id, i) => [id, i * SERIES.length]))
  for (const other of others) {
    for (const [i, id] of other.ids.entries()) {
      const place = places.get(id)
      if (place === undefined) continue // the model is gone
      numbers[place + REQUESTS] += other.numbers[i * SERIES.length + REQUESTS]
      numbers[place + TOKENS] += other.numbers[i * SERIES.length + TOKENS]
    }
  }
  return { type: 'models', ids, numbers }
}

/** The figures in Prometheus' text format. A counter that is 0 has no line. */
export async function modelText({ ids, numbers }: ModelMetrics, pace: Pace): Promise<string> {
  let text = ''
  for (const [series, { name, help, type }] of SERIES.entries()) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    for (const [i, id] of ids.entries()) {
      if (i % LINES_A_STEP === 0 && pace.isOver) await pace.nextTurn()
      const value = numbers[i * SERIES.length + series]
      if (value > 0 || series === BYTES) text += `${name}{model=${JSON.stringify(id)}} ${value}\n`
    }
  }
  return text
}
