import { Refused } from '../../../clients/typescript/src/index.js'
import type { Calls } from '../calls.js'
import { models } from '../store.js'
import type { DatasetCalls } from './dataset-calls.js'
import { type Dataset, type DatasetRecipe, type Forecast, PACKINGS, type Packing } from './dataset-recipe.js'
import { PADDING, type Segment, segmentsOf } from './segments.js'

/** Context lengths of the forecast, beside the recipe's own. */
const LENGTHS = [256, 512, 1024, 2048, 4096]

/** Segments whose texts are asked for, and ids of each that are read. */
const MOST_TEXTS = 64
const MOST_IDS = 64

/** A segment and the beginning of its text. */
export interface ReadSegment extends Segment {
  readonly text: string
}

/** What the page shows of a dataset. */
export interface DatasetAnswer {
  readonly recipe: DatasetRecipe
  readonly windows: readonly (readonly ReadSegment[])[]
  readonly plan: Forecast
  readonly forecasts: readonly { readonly length: number; readonly of: Readonly<Record<Packing, Forecast>> }[]
}

/** Asks for a batch and its texts, and for plans unless the answer before has them. */
export async function loadDataset(
  calls: DatasetCalls,
  client: Calls,
  recipe: DatasetRecipe,
  {
    dataset,
    before,
  }: { readonly dataset?: Dataset | undefined; readonly before?: DatasetAnswer | undefined },
  signal: AbortSignal,
): Promise<DatasetAnswer> {
  const { outputs } = await calls.batch(recipe, { signal })
  const rows = outputs.input_ids.data.map((ids, row) => segmentsOf(ids, outputs.segment_ids.data[row]))
  const model = models.peek().find(({ encoding }) => encoding != null && encoding === dataset?.encoding)?.id
  let left = model === undefined ? 0 : MOST_TEXTS
  const textOf = async ({ number, ids }: Segment) => {
    if (number === PADDING) return 'pad'
    if (left-- <= 0) return ids.slice(0, MOST_IDS).join(' ')
    return startOfText(client, model, ids, signal)
  }
  const windows = await Promise.all(
    rows.map((row) => Promise.all(row.map(async (each) => ({ ...each, text: await textOf(each) })))),
  )
  const isSame = before !== undefined && equal(before.recipe, recipe)
  const { plan, forecasts } = isSame ? before : await plansOf(calls, recipe, signal)
  return { recipe, windows, plan, forecasts }
}

/**
 * The plan of the recipe, and those of each packing at several context lengths. There short windows are padded, so that the
 * share of pads shows what each packing wastes.
 */
async function plansOf(
  calls: DatasetCalls,
  { dataset, batch: _batch, ...recipe }: DatasetRecipe,
  signal: AbortSignal,
): Promise<Pick<DatasetAnswer, 'plan' | 'forecasts'>> {
  const plan = await calls.plan(dataset, recipe, { signal })
  const lengths = [...new Set([...LENGTHS, recipe.context_length])].sort((a, b) => a - b)
  const forecasts: DatasetAnswer['forecasts'][number][] = []
  for (const length of lengths) {
    const plans = PACKINGS.map((packing) =>
      calls.plan(dataset, { ...recipe, packing, context_length: length, tail: 'pad' }, { signal }),
    )
    const [none, concat, best_fit] = await Promise.all(plans)
    forecasts.push({ length, of: { none, concat, best_fit } })
  }
  return { plan, forecasts }
}

/** Whether two recipes differ at most in the batch. */
function equal(a: DatasetRecipe, b: DatasetRecipe): boolean {
  return JSON.stringify({ ...a, batch: 0 }) === JSON.stringify({ ...b, batch: 0 })
}

async function startOfText(
  client: Calls,
  model: string | undefined,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<string> {
  const input_ids = ids.slice(0, MOST_IDS)
  try {
    return (await client.detokenize({ input_ids, model }, { signal })).text
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return input_ids.join(' ')
    throw error
  }
}
