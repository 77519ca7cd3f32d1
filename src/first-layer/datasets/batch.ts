import { counted, InletError } from '../errors.js'
import type { WindowStream } from './recipe.js'
import { type DatasetRecipe, MAX_SLOTS } from './recipe-options.js'
import { SegmentBatch } from './segment-batch.js'
import { type Corpus, countTargets, type Segment, type SegmentedWindows } from './segments.js'

const ID_BYTES = Int32Array.BYTES_PER_ELEMENT
/** What is known of a segment, and of the read that it may have for itself. */
const SEGMENT_BYTES = 192

/** Called between two rows: a promise where others wait for the thread. What it rejects with ends the work. */
export type Pace = () => Promise<void> | undefined

/** A dataset, or one of a mixture, and its windows under the recipe. */
export interface Member extends Corpus {
  readonly windows: Pick<SegmentedWindows, 'count' | 'segments'>
}

/** A batch that is known and not yet read. */
export interface PlannedBatch {
  /** Bytes that it takes; of its segments by their average. */
  readonly bytes: number
  /** B */
  readonly count: number
  /** Which tokens a row holds, and of which dataset. */
  row(row: number): { readonly dataset: number; readonly segments: readonly Segment[] }
  read(pace?: Pace): Promise<SegmentBatch>
  /** Trained targets of its rows. */
  targets(): number
}

/**
 * The rows that a rank gets in a range of batches.
 *
 * @throws InletError `batch_out_of_range`; `unsupported_combination` for more slots than an answer can have
 */
export function planBatch(
  members: readonly Member[],
  { length, numBatches, at }: WindowStream,
  recipe: DatasetRecipe,
  batch_index: number,
): PlannedBatch {
  const { batch_size, context_length: T, rank, world_size, sharding, packing, num_batches } = recipe
  if (batch_index >= numBatches) {
    const message = `\`batch_index\` must be below the number of batches, ${numBatches}. Given: ${batch_index}`
    throw new InletError('batch_out_of_range', message, 'batch_index')
  }
  const isGlobal = sharding !== 'distributed_sampler'
  const rows = isGlobal ? batch_size / world_size : batch_size
  const placeIn = (batch: number, row: number) =>
    Math.min(length, (batch_index + batch) * batch_size + (isGlobal ? rank * rows : 0) + row)
  const last = Math.min(num_batches, numBatches - batch_index) - 1 // the batches before it are full
  const count = last * rows + placeIn(last, rows) - placeIn(last, 0)
  if (count * T > MAX_SLOTS) {
    const message = `\`batch_size\` must be such that an answer has at most ${MAX_SLOTS} slots. Given: ${counted(count, 'window')} of ${T}`
    throw new InletError('unsupported_combination', message, 'batch_size')
  }
  const row = (r: number) => {
    const { dataset, window } = at(placeIn(Math.floor(r / rows), r % rows))
    return { dataset, segments: members[dataset].windows.segments(window) }
  }
  const isPacked = packing !== 'none'
  const bytesOf = ({ documents: { count: documents, totalTokens, longest } }: Member) => {
    const tokens = Math.min(T, isPacked ? totalTokens : longest)
    const segments = isPacked ? 2 + (tokens * documents) / Math.max(1, totalTokens) : 2
    return ID_BYTES * (tokens + 1) + Math.ceil(segments) * SEGMENT_BYTES
  }
  return {
    bytes: count * Math.max(...members.map(bytesOf)),
    count,
    row,
    async read(pace) {
      const batch = new SegmentBatch(T, packing, recipe.pad_token_id ?? 0)
      for (let r = 0; r < count; r++) {
        const { dataset, segments } = row(r)
        batch.add(members[dataset], dataset, segments)
        const turn = pace?.()
        if (turn !== undefined) await turn
      }
      await batch.read()
      return batch
    },
    targets() {
      let sum = 0
      for (let r = 0; r < count; r++) {
        const { dataset, segments } = row(r)
        for (const segment of segments) sum += countTargets(members[dataset], segment, packing === 'concat')
      }
      return sum
    },
  }
}
