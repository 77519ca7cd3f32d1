import { PAUSE, type Steps, waitFor } from '../steps.js'
import { NO_TARGET } from '../windows/batch.js'
import type { DocumentBounds } from '../windows/document-bounds.js'
import type { Segment } from './segments.js'

/** `segment_ids` of padding. */
export const NO_SEGMENT = -1

/** The ids of a dataset, wherever they lie. */
export interface TokenSource {
  /** Reads the ids `place … place + out.length − 1`; a promise where they come from outside this thread. */
  read(place: number, out: Int32Array): Promise<unknown> | undefined
}

/** The rows of one answer: windows, each of segments, and a rule for their targets. */
export interface SegmentRows {
  readonly rows: readonly (readonly Segment[])[]
  /** T. */
  readonly contextLength: number
  readonly padTokenId: number
  /** Whether the target of a document's last token is the next document's first, as under `concat`. */
  readonly isStream: boolean
}

/**
 * The windows of one answer, B of them, made of segments: ids and targets in memory, all else by arithmetic. Each
 * `fill…` writes the row-major elements `first … first + out.length − 1` of the named tensor.
 */
export class SegmentBatch {
  /** B. */
  readonly count: number
  /** T. */
  readonly contextLength: number

  /**
   * @param inputIds [B, T]
   * @param targetIds [B, T]
   */
  constructor(
    private readonly rows: SegmentRows['rows'],
    contextLength: number,
    private readonly inputIds: Int32Array,
    private readonly targetIds: Int32Array,
  ) {
    this.count = rows.length
    this.contextLength = contextLength
  }

  /** `input_ids` [B, T], padded with the pad token. */
  fillInputIds(out: Int32Array, first: number): void {
    out.set(this.inputIds.subarray(first, first + out.length))
  }

  /** `target_ids` [B, T]: the token after each input, −100 without one. */
  fillTargetIds(out: Int32Array, first: number): void {
    out.set(this.targetIds.subarray(first, first + out.length))
  }

  /** `attention_mask` [B, T]: 1 at a token, 0 at padding. */
  fillAttentionMask(out: Int32Array, first: number): void {
    this.eachSlot(out, first, (number) => (number === NO_SEGMENT ? 0 : 1))
  }

  /** `segment_ids` [B, T]: 0, 1, … within a window, −1 at padding. */
  fillSegmentIds(out: Int32Array, first: number): void {
    this.eachSlot(out, first, (number) => number)
  }

  /** `position_ids` [B, T]: `offset`, `offset` + 1, … from the start of each segment, and of a window's padding. */
  fillPositionIds(out: Int32Array, first: number, offset: number): void {
    this.eachSlot(out, first, (_, within) => offset + within)
  }

  /** `document_ids` [B]: the document of each window's first segment. */
  fillDocumentIds(out: Int32Array, first: number): void {
    for (let i = 0; i < out.length; i++) out[i] = this.rows[first + i]![0]!.document
  }

  /** `window_starts` [B]: where each window's first segment begins in its document. */
  fillWindowStarts(out: Int32Array, first: number): void {
    for (let i = 0; i < out.length; i++) out[i] = this.rows[first + i]![0]!.start
  }

  /**
   * `cu_seq_lens` [S + 1]: the ends of all segments over the B·T slots, after a 0; a window's padding is a segment. What
   * FlashAttention's functions for sequences of varying length take, and transformers as `cu_seq_lens_q`.
   */
  cuSeqLens(): Int32Array {
    const ends = [0]
    for (const [row, segments] of this.rows.entries()) {
      for (const { length } of segments) ends.push(ends.at(-1)! + length)
      const end = (row + 1) * this.contextLength
      if (ends.at(-1) !== end) ends.push(end)
    }
    return Int32Array.from(ends)
  }

  /** Calls `value` for each slot of a range of [B, T]: the segment's number in its window, and the slot's in the segment. */
  private eachSlot(out: Int32Array, first: number, value: (number: number, within: number) => number): void {
    const { contextLength } = this
    for (let at = 0; at < out.length; ) {
      const row = Math.floor((first + at) / contextLength)
      let column = (first + at) % contextLength
      const segments = this.rows[row]!
      let [number, begin] = [0, 0]
      while (number < segments.length && begin + segments[number]!.length <= column)
        begin += segments[number++]!.length
      const end = Math.min(contextLength, column + out.length - at)
      for (; column < end; number++) {
        const isPadding = number >= segments.length
        const stop = Math.min(end, isPadding ? contextLength : begin + segments[number]!.length)
        for (let within = column - begin; column < stop; column++)
          out[at++] = value(isPadding ? NO_SEGMENT : number, within++)
        begin = stop
      }
    }
  }
}

/** Reads the ids of the rows and of their targets: 8 bytes a slot. */
export function* readBatch(
  source: TokenSource,
  documents: DocumentBounds,
  { rows, contextLength, padTokenId, isStream }: SegmentRows,
): Steps<SegmentBatch> {
  const slots = rows.length * contextLength
  yield 2 * Int32Array.BYTES_PER_ELEMENT * slots
  const inputIds = new Int32Array(slots).fill(padTokenId)
  const targetIds = new Int32Array(slots).fill(NO_TARGET)
  const read = new Int32Array(contextLength + 1)
  for (const [row, segments] of rows.entries()) {
    let at = row * contextLength
    for (const { document, start, length } of segments) {
      const place = documents.start(document) + start
      const end = isStream ? documents.totalTokens : documents.start(document + 1)
      const ids = read.subarray(0, Math.min(length + 1, end - place))
      const wait = source.read(place, ids)
      if (wait !== undefined) yield* waitFor(wait)
      inputIds.set(ids.subarray(0, length), at)
      targetIds.set(ids.subarray(1), at)
      at += length
    }
    yield PAUSE
  }
  return new SegmentBatch(rows, contextLength, inputIds, targetIds)
}
