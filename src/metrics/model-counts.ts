import type { ModelEntry } from '../models/entry.js'
import { heldBytes } from '../models/keeper/eviction.js'
import { isTurnOver, nextTurn } from '../turn.js'

/** Counts kept for each model. */
const COUNTS = ['requests', 'tokens'] as const

export type Counts = Record<(typeof COUNTS)[number], number>

/**
 * One thread's counts of all models. Not metrics of prom-client, which takes some 20 ms in one turn to gather those of a
 * thousand models from eight threads. Can be posted.
 */
export interface AllCounts {
  readonly type: 'models'
  readonly ids: readonly string[]
  /** Bytes of each model's tables, which all threads share. */
  readonly tableBytes: Float64Array
  /** For each model, one after the other: its {@link COUNTS}. */
  readonly counts: Float64Array
}

const NO_MODELS: AllCounts = {
  type: 'models',
  ids: [],
  tableBytes: new Float64Array(),
  counts: new Float64Array(),
}

/** Lines that are written between two looks at the turn's time. */
const LINES_A_STEP = 64

/** Counts by model in one thread. */
export class ModelCounts {
  readonly #counts = new Map<string, Counts>()

  add(id: string, { requests, tokens }: Counts): void {
    const own = this.#counts.get(id) ?? { requests: 0, tokens: 0 }
    this.#counts.set(id, own)
    own.requests += requests
    own.tokens += tokens
  }

  /** A model was deleted: another one of its name begins at 0. */
  forget(id: string): void {
    this.#counts.delete(id)
  }

  /** The counts of the models that there are now. */
  all(entries: readonly ModelEntry[]): AllCounts {
    const counts = new Float64Array(entries.length * COUNTS.length)
    for (const [i, { card }] of entries.entries()) {
      const own = this.#counts.get(card.id)
      if (own !== undefined) counts.set(Object.values(own), i * COUNTS.length)
    }
    const ids = entries.map(({ card }) => card.id)
    return { type: 'models', ids, tableBytes: Float64Array.from(entries, heldBytes), counts }
  }
}

export function areModelCounts(metric: object): metric is AllCounts {
  return (metric as AllCounts).type === 'models'
}

/** The counts of several threads together, of the models that the first one knows. */
export function summedCounts([first = NO_MODELS, ...others]: readonly AllCounts[]): AllCounts {
  const counts = Float64Array.from(first.counts)
  const places = new Map(first.ids.map((id, i) => [id, i * COUNTS.length]))
  for (const other of others) {
    for (const [i, id] of other.ids.entries()) {
      const place = places.get(id)
      if (place === undefined) continue // the model is gone
      for (let j = 0; j < COUNTS.length; j++) counts[place + j]! += other.counts[i * COUNTS.length + j]!
    }
  }
  return { ...first, counts }
}

/** The metrics of models in Prometheus' text format. A counter that is 0 has no line. */
export async function modelText({ ids, tableBytes, counts }: AllCounts): Promise<string> {
  let text = ''
  const add = async (name: string, type: string, help: string, numberOf: (i: number) => number) => {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    for (const [i, id] of ids.entries()) {
      if (i % LINES_A_STEP === 0 && isTurnOver()) await nextTurn()
      const value = numberOf(i)
      if (value > 0 || type === 'gauge') text += `${name}{model=${JSON.stringify(id)}} ${value}\n`
    }
  }
  const count = (name: keyof Counts) => (i: number) => counts[i * COUNTS.length + COUNTS.indexOf(name)]!
  const [requests, tokens] = ['Requests', 'Tokens of the requests'].map(
    (start) => `${start} that used a model that there is now.`,
  )
  await add('inlet_model_requests_total', 'counter', requests, count('requests'))
  await add('inlet_model_tokens_total', 'counter', tokens, count('tokens'))
  const bytes = 'Bytes of a model’s tables, which all threads share.'
  await add('inlet_table_bytes', 'gauge', bytes, (i) => tableBytes[i]!)
  return text
}
