import { counted, InletError } from '../errors.js'
import { largeFloat64Array } from '../memory.js'
import type { WindowOrder } from './orders.js'
import { type Pace, type PlannedBatch, plannedBatch, type RowRule } from './read-batch.js'
import { type BatchRange, batchesOf, type DatasetRecipe } from './recipe.js'
import { MAX_SLOTS } from './recipe-options.js'
import type { Corpus, SegmentedWindows } from './segments.js'

/** Places of an order that are looked up at a time. */
const SLICE_PLACES = 512

/** A run of places of an order. */
interface Places {
  readonly begin: number
  /** Behind the last place. */
  readonly end: number
}

/**
 * The places that a rank gets in a range of batches, batch by batch: none where a short last batch leaves the rank
 * nothing.
 *
 * @param length places of the order
 * @param numBatches batches that there are
 */
export function rankPlaces(
  recipe: DatasetRecipe,
  { rank, batch_index, num_batches: asked = 1 }: BatchRange,
  length: number,
  numBatches: number,
): Places[] {
  const { batch_size, world_size = 1, sharding } = recipe
  const isGlobal = sharding !== 'distributed_sampler'
  const rows = isGlobal ? batch_size / world_size : batch_size
  const from = isGlobal ? rank * rows : 0
  const places: Places[] = []
  for (let batch = batch_index; batch < Math.min(numBatches, batch_index + asked); batch++) {
    const begin = Math.min(length, batch * batch_size + from)
    places.push({ begin, end: Math.min(length, begin + rows) })
  }
  return places
}

/**
 * How many rows these places give.
 *
 * @throws InletError `unsupported_combination` for more slots than an answer can have
 */
export function countRows(places: readonly Places[], contextLength: number): number {
  const rows = places.reduce((sum, { begin, end }) => sum + end - begin, 0)
  if (rows * contextLength <= MAX_SLOTS) return rows
  const message = `\`batch_size\` must be such that an answer has at most ${MAX_SLOTS} slots. Given: ${counted(rows, 'window')} of ${contextLength}`
  throw new InletError('unsupported_combination', message, 'batch_size')
}

/** Calls `take` with each place and its row. */
export async function eachPlace(
  places: readonly Places[],
  take: (place: number, row: number) => void,
  pace?: Pace,
): Promise<void> {
  let row = 0
  for (const { begin, end } of places) {
    for (let place = begin; place < end; place++) {
      take(place, row++)
      if (row % SLICE_PLACES === 0) await pace?.()
    }
  }
}

/**
 * The windows that a rank gets in a range of an epoch's batches.
 *
 * @param windows under the recipe
 * @param order of the epoch
 * @throws InletError `batch_out_of_range`
 */
export function corpusBatch(
  corpus: Corpus,
  windows: Pick<SegmentedWindows, 'count' | 'segments'>,
  order: WindowOrder,
  recipe: DatasetRecipe,
  range: BatchRange,
): PlannedBatch {
  const numBatches = batchesOf(windows.count, recipe)
  if (range.batch_index >= numBatches) {
    const message = `The batch must be below the number of batches, ${numBatches}. Given: ${range.batch_index}`
    throw new InletError('batch_out_of_range', message, 'batch_index')
  }
  const places = rankPlaces(recipe, range, order.length, numBatches)
  const count = countRows(places, recipe.context_length)
  return plannedBatch(count, rowRule(recipe, [corpus]), async (pace) => {
    const chosen = largeFloat64Array(count)
    const choose = (place: number, row: number) => {
      chosen[row] = order.at(place)
    }
    await eachPlace(places, choose, pace)
    return { corpus: () => corpus, segments: (row) => windows.segments(chosen[row]) }
  })
}

/** How a recipe's rows become a batch. @param corpora of which the rows are */
export function rowRule(
  { context_length, packing = 'none', pad_token_id = 0 }: DatasetRecipe,
  corpora: readonly Pick<Corpus, 'documents' | 'mask'>[],
): RowRule {
  const isPacked = packing !== 'none'
  const most = corpora.map(({ documents }) => (isPacked ? documents.totalTokens : documents.longest))
  const isMasked = corpora.some(({ mask }) => mask !== undefined)
  const width = Math.min(context_length, Math.max(...most))
  const isStream = packing === 'concat'
  return { contextLength: context_length, width, padTokenId: pad_token_id, isStream, isPacked, isMasked }
}
