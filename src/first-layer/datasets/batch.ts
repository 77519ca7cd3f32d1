import { counted, InletError } from '../errors.js'
import type { WindowStream } from './recipe.js'
import { type DatasetRecipe, MAX_SLOTS } from './recipe-options.js'
import { type BatchRow, type PlacedSegment, type Read, SegmentBatch } from './segment-batch.js'
import { type Corpus, countTargets, type Segment, type SegmentedWindows } from './segments.js'

/** Reads that are under way at once. */
const MOST_READS = 64
/** Most ids of windows that stand side by side, and most slots that they fill, to be one read: 256 KiB. */
const READ_IDS = 1 << 16
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
  const isStream = packing === 'concat'
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
      const planned = new Rows(T, isStream)
      for (let r = 0; r < count; r++) {
        const { dataset, segments } = row(r)
        planned.add(members[dataset], dataset, segments)
        const turn = pace?.()
        if (turn !== undefined) await turn
      }
      await readAll(planned.reads)
      return new SegmentBatch(T, isPacked, recipe.pad_token_id ?? 0, planned.rows, planned.segments)
    },
    targets() {
      let sum = 0
      for (let r = 0; r < count; r++) {
        const { dataset, segments } = row(r)
        for (const segment of segments) sum += countTargets(members[dataset], segment, isStream)
      }
      return sum
    },
  }
}

/** The rows of a batch, and the reads that they need: those that stand side by side in their corpus share one. */
class Rows {
  readonly rows: BatchRow[] = []
  readonly segments: PlacedSegment[] = []
  readonly reads: Read[] = []
  /** Slots that the last read fills. */
  #slots = 0

  /** @param isStream whether a document's last token has the next document's first as its target */
  constructor(
    private readonly contextLength: number,
    private readonly isStream: boolean,
  ) {}

  add(corpus: Corpus, dataset: number, segments: readonly Segment[]): void {
    const { documents } = corpus
    let begin = this.rows.length * this.contextLength
    this.rows.push({ dataset, document: segments[0].document, start: segments[0].start })
    for (const [number, { document, start, length }] of segments.entries()) {
      const place = documents.start(document) + start
      const last = this.isStream ? documents.totalTokens : documents.start(document + 1)
      const targets = Math.min(length, last - place - 1)
      const read = this.#readOf(corpus, place, place + Math.max(length, targets + 1), length)
      this.segments.push({ begin, end: begin + length, number, place, targets, read })
      begin += length
    }
    const end = this.rows.length * this.contextLength
    if (begin < end) this.segments.push({ begin, end, number: -1, place: 0, targets: 0 })
  }

  #readOf(corpus: Corpus, place: number, end: number, length: number): Read {
    const last = this.reads.at(-1)
    this.#slots += length
    if (last?.corpus === corpus && place >= last.place && place <= last.end) {
      const furthest = Math.max(last.end, end)
      if (furthest - last.place <= READ_IDS && this.#slots <= READ_IDS) {
        last.end = furthest
        return last
      }
    }
    const read = { corpus, place, end, ids: NO_IDS }
    this.reads.push(read)
    this.#slots = length
    return read
  }
}

const NO_IDS = new Int32Array(0)

/** Sends the reads out, up to {@link MOST_READS} at once. */
async function readAll(reads: readonly Read[]): Promise<void> {
  const underWay: Promise<unknown>[] = []
  for (const read of reads) {
    read.ids = new Int32Array(read.end - read.place)
    const reading = read.corpus.source.read(read.place, read.ids)
    if (reading === undefined) continue
    reading.catch(() => {}) // told when it is waited for, unless another one failed first
    if (underWay.push(reading) === MOST_READS) await underWay.shift()
  }
  for (const reading of underWay) await reading
}
