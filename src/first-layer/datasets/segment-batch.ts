import { NO_TARGET, type TokenBatch } from '../windows/batch.js'
import { lastAtMost } from '../windows/documents.js'
import type { Segment } from './segments.js'

/** `segment_ids` of padding. */
const NO_SEGMENT = -1

interface SegmentBatchParts {
  /** B */
  readonly count: number
  /** The segments of a window. */
  segments(row: number): readonly Segment[]
  /** T. */
  readonly contextLength: number
  /** Positions start again with each segment. */
  readonly isPacked: boolean
  readonly padTokenId: number
  /** W: most tokens of a window. */
  readonly width: number
  /** [B, W] */
  readonly inputIds: Int32Array<ArrayBuffer>
  /** [B, W] */
  readonly targetIds: Int32Array<ArrayBuffer>
  /** [B, W]; absent: every token is trained. */
  readonly lossMask: Uint8Array | undefined
  /** [B + 1]: segments of the windows before, a window's padding counted as one. */
  readonly segmentsBefore: Int32Array
  /** The largest of the tokens' ids, pads apart; −1 without a token. */
  readonly largestId: number
  /** [B]: a mixture's dataset of each window. */
  readonly datasetIndex?: Int32Array | undefined
}

/** The windows of one answer, made of segments: tokens and targets in memory, all else by arithmetic. */
export class SegmentBatch implements TokenBatch {
  readonly count: number
  readonly contextLength: number
  #isReleased = false
  /** The window whose segments were asked for last: its outputs are filled in parts. */
  #last: { readonly row: number; readonly segments: readonly Segment[] } | undefined

  constructor(private readonly parts: SegmentBatchParts) {
    this.count = parts.count
    this.contextLength = parts.contextLength
  }

  /** Gives the ids' memory back for another batch: nothing of this one is read any more. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    giveIds(this.parts.inputIds)
    giveIds(this.parts.targetIds)
  }

  /** Whether positions start again with each segment. */
  get isPacked(): boolean {
    return this.parts.isPacked
  }

  /** The largest of the tokens' ids, pads apart; −1 without a token. */
  get largestId(): number {
    return this.parts.largestId
  }

  /** S: segments of all windows, the padding of each counted as one. */
  get segmentCount(): number {
    return this.parts.segmentsBefore[this.count]
  }

  fillInputIds(out: Int32Array, first: number): void {
    this.#fill(out, first, this.parts.inputIds, this.parts.padTokenId)
  }

  fillTargetIds(out: Int32Array, first: number): void {
    this.#fill(out, first, this.parts.targetIds, NO_TARGET)
  }

  fillLossMask(out: Int32Array, first: number): void {
    const { lossMask, width } = this.parts
    this.fillAttentionMask(out, first)
    if (lossMask === undefined) return
    for (let i = 0; i < out.length; i++) {
      const row = Math.floor((first + i) / this.contextLength)
      if (out[i] === 1) out[i] = lossMask[row * width + (first + i - row * this.contextLength)]
    }
  }

  fillLabels(out: Int32Array, first: number): void {
    const mask = new Int32Array(out.length)
    this.fillLossMask(mask, first)
    this.fillInputIds(out, first)
    this.eachRun(first, out.length, (at, count, _segment, within) => {
      for (let i = at; i < at + count; i++) if (mask[i] === 0 || within + i - at === 0) out[i] = NO_TARGET
    })
  }

  fillAttentionMask(out: Int32Array, first: number): void {
    this.eachRun(first, out.length, (at, count, segment) => {
      out.fill(segment === NO_SEGMENT ? 0 : 1, at, at + count)
    })
  }

  /** `segment_ids` [B, T]: 0, 1, … within a window, −1 at padding. */
  fillSegmentIds(out: Int32Array, first: number): void {
    this.eachRun(first, out.length, (at, count, segment) => {
      out.fill(segment, at, at + count)
    })
  }

  /** `offset`, `offset` + 1, … from the start of each segment, and of a window's padding: [B, T]. */
  fillPositionIds(out: Int32Array, first: number, offset: number): void {
    this.eachRun(first, out.length, (at, count, _segment, within) => {
      for (let i = 0; i < count; i++) out[at + i] = offset + within + i
    })
  }

  /** The document of each window's first segment. */
  fillDocumentIds(out: Int32Array, first: number): void {
    for (let i = 0; i < out.length; i++) out[i] = this.#segments(first + i)[0].document
  }

  /** The start of each window's first segment in its document. */
  fillWindowStarts(out: Int32Array, first: number): void {
    for (let i = 0; i < out.length; i++) out[i] = this.#segments(first + i)[0].start
  }

  /** `dataset_index` [B]: the dataset of a mixture that each window is from; 0 without a mixture. */
  fillDatasetIndex(out: Int32Array, first: number): void {
    const { datasetIndex } = this.parts
    if (datasetIndex === undefined) out.fill(0)
    else out.set(datasetIndex.subarray(first, first + out.length))
  }

  /**
   * `cu_seq_lens` [S + 1]: the ends of all segments over the B·T slots, after a 0; a window's padding is a segment. What
   * FlashAttention's functions for sequences of varying length take, and transformers as `cu_seq_lens_q`.
   */
  fillCuSeqLens(out: Int32Array, first: number): void {
    const { segmentsBefore, contextLength } = this.parts
    let at = 0
    if (first === 0 && out.length > 0) out[at++] = 0
    let row = lastAtMost(this.count, (r) => segmentsBefore[r], first + at - 1)
    for (; at < out.length; row++) {
      const segments = this.#segments(row)
      let end = row * contextLength
      let number = segmentsBefore[row] + 1 // of the element that the segment's end is
      for (let s = 0; number <= segmentsBefore[row + 1] && at < out.length; s++, number++) {
        end = s < segments.length ? end + segments[s].length : (row + 1) * contextLength
        if (number === first + at) out[at++] = end
      }
    }
  }

  /** Copies rows of [B, W] to a range of [B, T]: all behind W is padding. */
  #fill(out: Int32Array, first: number, rows: Int32Array, padding: number): void {
    const { width, contextLength } = this.parts
    if (width === contextLength) out.set(rows.subarray(first, first + out.length))
    for (let at = 0; width < contextLength && at < out.length; ) {
      const row = Math.floor((first + at) / contextLength)
      const column = first + at - row * contextLength
      const end = Math.min(out.length, at + contextLength - column)
      const begin = row * width + Math.min(column, width)
      const copied = rows.subarray(begin, Math.min((row + 1) * width, begin + end - at))
      out.set(copied, at)
      out.fill(padding, at + copied.length, end)
      at = end
    }
  }

  #segments(row: number): readonly Segment[] {
    if (this.#last?.row !== row) this.#last = { row, segments: this.parts.segments(row) }
    return this.#last.segments
  }

  /**
   * Cuts a range of [B, T] into runs within one segment, or in a window's padding.
   *
   * @param run gets the run's place in the range and its length, the segment's number in its window, and the run's first
   * slot, counted in the segment
   */
  private eachRun(
    first: number,
    length: number,
    run: (at: number, count: number, segment: number, within: number) => void,
  ): void {
    const { contextLength } = this.parts
    for (let at = 0; at < length; ) {
      const row = Math.floor((first + at) / contextLength)
      const segments = this.#segments(row)
      let column = first + at - row * contextLength
      let [number, begin] = [0, 0]
      while (number < segments.length && begin + segments[number].length <= column)
        begin += segments[number++].length
      const end = Math.min(contextLength, column + length - at)
      while (column < end) {
        const isPadding = number === segments.length
        const next = isPadding ? contextLength : begin + segments[number].length
        const stop = Math.min(end, next)
        run(at, stop - column, isPadding ? NO_SEGMENT : number, column - begin)
        at += stop - column
        column = stop
        begin = next
        number++
      }
    }
  }
}

/** Arrays are kept in sizes of powers of two, from 2^10 to 2^20 ids, and at most so many bytes of them. */
const LEAST_BITS = 10
const MOST_BITS = 20
const KEPT_BYTES = 1 << 24

const kept: ArrayBuffer[][] = []
let keptBytes = 0

/**
 * An array for ids that may hold old values: the caller writes all elements before it reads them. New arrays for each
 * batch would take a third of its time in garbage collection.
 */
export function takeIds(length: number): Int32Array<ArrayBuffer> {
  const bits = Math.max(LEAST_BITS, 32 - Math.clz32(length - 1))
  const buffer = kept[bits]?.pop()
  if (buffer !== undefined) {
    keptBytes -= buffer.byteLength
    return new Int32Array(buffer, 0, length)
  }
  const most = bits > MOST_BITS ? length : 1 << bits
  return new Int32Array(Buffer.allocUnsafeSlow(4 * most).buffer, 0, length)
}

/** Returns an array for another use. The caller must not read it again. */
export function giveIds({ buffer }: Int32Array<ArrayBuffer>): void {
  const { byteLength } = buffer
  const bits = 29 - Math.clz32(byteLength)
  if (bits > MOST_BITS || keptBytes + byteLength > KEPT_BYTES) return
  kept[bits] ??= []
  kept[bits].push(buffer)
  keptBytes += byteLength
}
