import { counted, InletError } from '../errors.js'
import { largeFloat64Array } from '../memory.js'
import { PAUSE, type Steps } from '../steps.js'
import type { DocumentBounds } from '../windows/documents.js'
import type { WindowOrder } from './orders.js'
import { type BatchRows, ROW_BYTES, type RowRule, readBatch } from './read-batch.js'
import { type BatchRange, batchesOf, canPad, type DatasetRecipe } from './recipe.js'
import { MAX_SLOTS } from './recipe-options.js'
import type { SegmentBatch } from './segment-batch.js'
import type { SegmentedWindows, TokenSource } from './segments.js'

/** Places of an order between two pauses. */
const STEP_PLACES = 512

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
  { rank, batchIndex, numBatches: asked = 1 }: BatchRange,
  length: number,
  numBatches: number,
): Places[] {
  const { batchSize, worldSize = 1, sharding } = recipe
  const isGlobal = sharding !== 'distributed_sampler'
  const rows = isGlobal ? batchSize / worldSize : batchSize
  const from = isGlobal ? rank * rows : 0
  const places: Places[] = []
  for (let batch = batchIndex; batch < Math.min(numBatches, batchIndex + asked); batch++) {
    const begin = Math.min(length, batch * batchSize + from)
    places.push({ begin, end: Math.min(length, begin + rows) })
  }
  return places
}

/**
 * The windows that a rank gets in a range of batches, in the order of rows.
 *
 * @throws InletError `batch_out_of_range`
 */
export function* batchWindows(
  order: WindowOrder,
  recipe: DatasetRecipe,
  count: number,
  range: BatchRange,
): Steps<Float64Array> {
  const numBatches = batchesOf(count, recipe)
  if (range.batchIndex >= numBatches) {
    const message = `The batch must be below the number of batches, ${numBatches}. Given: ${range.batchIndex}`
    throw new InletError('batch_out_of_range', message, 'batch_index')
  }
  const places = rankPlaces(recipe, range, order.length, numBatches)
  const windows = largeFloat64Array(yield* reserveRows(places, recipe.contextLength))
  yield* eachPlace(places, (place, row) => {
    windows[row] = order.at(place)
  })
  return windows
}

/**
 * Reserves the memory of the rows of these places, and returns how many they are.
 *
 * @throws InletError `unsupported_combination` for more slots than an answer can have
 */
export function* reserveRows(places: readonly Places[], contextLength: number): Steps<number> {
  const rows = places.reduce((sum, { begin, end }) => sum + end - begin, 0)
  if (rows * contextLength > MAX_SLOTS) {
    const message = `\`batch_size\` must be such that an answer has at most ${MAX_SLOTS} slots. Given: ${counted(rows, 'window')} of ${contextLength}`
    throw new InletError('unsupported_combination', message, 'batch_size')
  }
  yield rows * ROW_BYTES
  return rows
}

/** Calls `take` with each place and its row, in turns. */
export function* eachPlace(
  places: readonly Places[],
  take: (place: number, row: number) => void,
): Steps<void> {
  let row = 0
  for (const { begin, end } of places) {
    for (let place = begin; place < end; place++) {
      take(place, row++)
      if (row % STEP_PLACES === 0) yield PAUSE
    }
  }
}

export function readWindows(
  source: TokenSource,
  documents: DocumentBounds,
  windows: SegmentedWindows,
  recipe: DatasetRecipe,
  chosen: ArrayLike<number>,
): Steps<SegmentBatch> {
  const corpus = { source, documents }
  const rows: BatchRows = {
    count: chosen.length,
    corpus: () => corpus,
    segments: (row) => windows.segments(chosen[row]),
  }
  return readBatch(rows, rowRule(recipe))
}

/** How a recipe's rows become a batch. */
export function rowRule(recipe: DatasetRecipe): RowRule {
  const { contextLength, packing = 'none', padTokenId = 0 } = recipe
  const isPacked = packing !== 'none'
  return { contextLength, padTokenId, isStream: packing === 'concat', isPacked, canPad: canPad(recipe) }
}
