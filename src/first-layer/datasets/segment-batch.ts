import { type IdName, NO_TARGET, type TokenBatch } from '../windows/batch.js'
import { lastAtMost } from '../windows/documents.js'
import type { DatasetRecipe } from './recipe-options.js'
import type { Corpus, Segment } from './segments.js'
import { isTrained } from './token-mask.js'

/** Reads that are under way at once. */
const MOST_READS = 64
/** Most ids of windows that stand side by side, and most slots that they fill, to be one read: 256 KiB. */
const READ_IDS = 1 << 16
const NO_IDS = new Int32Array(0)

/** Ids of a corpus that are read at once. */
interface Read {
  readonly corpus: Corpus
  /** The first one's place in the corpus, and the place behind the last one. */
  readonly place: number
  end: number
  ids: Int32Array
}

/** A segment where it stands in [B, T], or a window's padding. */
interface PlacedSegment {
  /** Its first slot, counted over all rows, and the slot behind its last one. */
  readonly begin: number
  readonly end: number
  /** Its number in its window; −1: padding. */
  readonly number: number
  /** The place of its first token in the corpus. */
  readonly place: number
  /** How many of its tokens have a next one. */
  readonly targets: number
  /** The ids from `place` on, one more than tokens where the last one has a target; absent: padding. */
  readonly read?: Read
}

/** A row's dataset, of a mixture, and its first segment. */
interface BatchRow {
  readonly dataset: number
  readonly document: number
  readonly start: number
}

/**
 * The tensors of a batch of segments:
 *
 * - `segment_ids` [B, T]: 0, 1, … within a window, −1 at padding
 * - `position_ids` count from the start of each segment, and of a window's padding
 * - `document_ids`, `window_starts` [B]: of each window's first segment
 * - `dataset_index` [B]: the dataset of a mixture that each window is from; 0 without a mixture
 * - `cu_seq_lens` [S + 1]: the ends of all segments over the B·T slots, after a 0; a window's padding is a segment. What
 *   FlashAttention's functions for sequences of varying length take, and transformers as `cu_seq_lens_q`
 */
export type SegmentName = IdName | 'segment_ids' | 'dataset_index' | 'cu_seq_lens'

const ROW_FIELDS = { document_ids: 'document', window_starts: 'start', dataset_index: 'dataset' } as const

/** Takes the slots `from … to − 1` of what is written, the first of which is number `within` of the segment. */
type Run = (from: number, to: number, segment: PlacedSegment, within: number) => void

/** The windows of one answer, made of segments: their ids are in memory, all else is known by arithmetic. */
export class SegmentBatch implements TokenBatch {
  private readonly rows: BatchRow[] = []
  /** Of all rows, the padding of each counted as one. */
  private readonly segments: PlacedSegment[] = []
  /** Segments that stand side by side in their corpus share one. */
  private readonly reads: Read[] = []
  /** Slots that the last read fills. */
  private slots = 0

  /** @param contextLength T @param packing under `concat` a document's last token has the next one's first as its target */
  constructor(
    readonly contextLength: number,
    private readonly packing: DatasetRecipe['packing'],
    private readonly padTokenId: number,
  ) {}

  /** Adds a row. */
  add(corpus: Corpus, dataset: number, segments: readonly Segment[]): void {
    const { documents } = corpus
    let begin = this.rows.length * this.contextLength
    this.rows.push({ dataset, document: segments[0].document, start: segments[0].start })
    for (const [number, { document, start, length }] of segments.entries()) {
      const place = documents.start(document) + start
      const last = this.packing === 'concat' ? documents.totalTokens : documents.start(document + 1)
      const targets = Math.min(length, last - place - 1)
      const read = this.readOf(corpus, place, place + Math.max(length, targets + 1), length)
      this.segments.push({ begin, end: begin + length, number, place, targets, read })
      begin += length
    }
    const end = this.rows.length * this.contextLength
    if (begin < end) this.segments.push({ begin, end, number: -1, place: 0, targets: 0 })
  }

  private readOf(corpus: Corpus, place: number, end: number, length: number): Read {
    const last = this.reads.at(-1)
    this.slots += length
    if (last?.corpus === corpus && place >= last.place && place <= last.end) {
      const furthest = Math.max(last.end, end)
      if (furthest - last.place <= READ_IDS && this.slots <= READ_IDS) {
        last.end = furthest
        return last
      }
    }
    const read = { corpus, place, end, ids: NO_IDS }
    this.reads.push(read)
    this.slots = length
    return read
  }

  /** Reads the ids of all rows. */
  async read(): Promise<void> {
    const begin = (read: Read) => {
      read.ids = new Int32Array(read.end - read.place)
      return read.corpus.source.read(read.place, read.ids)
    }
    for (let at = 0; at < this.reads.length; at += MOST_READS)
      await Promise.all(this.reads.slice(at, at + MOST_READS).map(begin))
  }

  /** Whether positions start again with each segment. */
  get isPacked(): boolean {
    return this.packing !== 'none'
  }

  get count(): number {
    return this.rows.length
  }

  /** S */
  get segmentCount(): number {
    return this.segments.length
  }

  /** The largest of the tokens' ids, pads apart; −1 without a token. */
  get largestId(): number {
    let largest = -1
    for (const { read, place, begin, end } of this.segments) {
      if (read === undefined) continue
      const { ids } = read
      const from = place - read.place
      for (let i = from; i < from + end - begin; i++) if (ids[i] > largest) largest = ids[i]
    }
    return largest
  }

  fill(name: SegmentName, out: Int32Array, first: number, offset = 0): void {
    if (name === 'cu_seq_lens') {
      for (let i = 0; i < out.length; i++) out[i] = first + i === 0 ? 0 : this.segments[first + i - 1].end
    } else if (name === 'document_ids' || name === 'window_starts' || name === 'dataset_index') {
      const field = ROW_FIELDS[name]
      for (let i = 0; i < out.length; i++) out[i] = this.rows[first + i][field]
    } else this.eachRun(first, out.length, this.writerOf(name, out, first, offset))
  }

  /** Writes a part of a segment. */
  private writerOf(
    name: Exclude<SegmentName, keyof typeof ROW_FIELDS | 'cu_seq_lens'>,
    out: Int32Array,
    first: number,
    offset: number,
  ): Run {
    switch (name) {
      case 'input_ids':
        return (from, to, { read, place }, within) => {
          const at = place + within - (read?.place ?? 0)
          if (read === undefined) out.fill(this.padTokenId, from, to)
          else out.set(read.ids.subarray(at, at + to - from), from)
        }
      case 'target_ids':
        return (from, to, { read, place, targets }, within) => {
          const stop = read === undefined ? from : Math.min(to, from + targets - within)
          if (stop < to) out.fill(NO_TARGET, stop, to)
          if (read === undefined) return
          const at = place - read.place + within + 1
          out.set(read.ids.subarray(at, at + stop - from), from)
          const { mask } = read.corpus
          if (mask === undefined) return
          for (let i = from; i < stop; i++)
            if (!isTrained(mask, place + within + 1 + i - from)) out[i] = NO_TARGET
        }
      case 'loss_mask':
        return (from, to, { read, place }, within) => {
          out.fill(read === undefined ? 0 : 1, from, to)
          const mask = read?.corpus.mask
          if (mask === undefined) return
          for (let i = from; i < to; i++) if (!isTrained(mask, place + within + i - from)) out[i] = 0
        }
      case 'labels': {
        const mask = new Int32Array(out.length)
        this.fill('loss_mask', mask, first)
        this.fill('input_ids', out, first)
        return (from, to, _, within) => {
          for (let i = from; i < to; i++) if (mask[i] === 0 || within + i === from) out[i] = NO_TARGET
        }
      }
      case 'attention_mask':
        return (from, to, { read }) => void out.fill(read === undefined ? 0 : 1, from, to)
      case 'segment_ids':
        return (from, to, { number }) => void out.fill(number, from, to)
      case 'position_ids':
        return (from, to, _, within) => {
          for (let i = from; i < to; i++) out[i] = offset + within + i - from
        }
    }
  }

  /** Calls `run` with the part of each segment that stands in a range of [B, T], and that part's first slot in the segment. */
  private eachRun(first: number, length: number, run: Run): void {
    const { segments } = this
    let s = lastAtMost(segments.length, (i) => segments[i].begin, first)
    for (let at = 0; at < length; s++) {
      const segment = segments[s]
      const to = Math.min(length, segment.end - first)
      run(at, to, segment, first + at - segment.begin)
      at = to
    }
  }
}
