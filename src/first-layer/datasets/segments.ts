import type { DocumentBounds } from '../windows/documents.js'
import { countTrained, type TokenMask } from './token-mask.js'

/** The ids of a dataset, wherever they lie. */
export interface TokenSource {
  /**
   * Reads the ids `place … place + out.length − 1`; a promise where they come from outside this thread. Several reads
   * may be under way at once.
   */
  read(place: number, out: Int32Array): Promise<unknown> | undefined
}

/** A dataset's ids, and the bounds of its documents. */
export interface Corpus {
  readonly source: TokenSource
  readonly documents: DocumentBounds
  /** Absent: every token is trained. */
  readonly mask?: TokenMask | undefined
}

/**
 * Targets of a segment that are trained: of each of its tokens the next one.
 *
 * @param isStream whether a document's last token has the next document's first as its target
 */
export function countTargets(
  { documents, mask }: Pick<Corpus, 'documents' | 'mask'>,
  { document, start, length }: Segment,
  isStream: boolean,
): number {
  const from = documents.start(document) + start + 1
  const to = Math.min(from + length, isStream ? documents.totalTokens : documents.start(document + 1))
  return mask === undefined ? to - from : countTrained(mask, from, to)
}

/** Tokens of one document that stand side by side in a window. */
export interface Segment {
  readonly document: number
  /** The first token, counted in its document. */
  readonly start: number
  readonly length: number
}

/** The windows of a dataset under one packing. */
export interface SegmentedWindows extends WindowIndex {
  /** T. */
  readonly contextLength: number
  /** The segments of a window, in order. */
  segments(window: number): Segment[]
}

/** What a mask, or dropping documents, makes of a packing. */
export interface TrainedFacts {
  /** Trained targets of all windows; absent: there is no mask. */
  readonly numTargetTokens?: number
  /** Under `best_fit`: pieces that are in no window, since no target of theirs is trained. */
  readonly untrainedPieces?: number
  /** Under `best_fit`: documents that are dropped since they are longer than T. */
  readonly droppedDocuments?: number
}

/**
 * A packing of a dataset as plain numbers: a file can store it, and threads share its arrays. `segmentedWindows`
 * derives each window's tokens from it.
 */
export interface WindowIndex extends TrainedFacts {
  readonly count: number
  /** Slots of all windows that hold tokens, of `count` · T. */
  readonly filledSlots: number
  /** Tokens that no window holds, neither as input nor as target. */
  readonly droppedTokens: number
  /** Documents with tokens in more than one window. */
  readonly splitDocuments: number
  /** Under `none`: document d has the windows [d], …, [d + 1] − 1. */
  readonly firstWindow?: Float64Array
  /** Under `best_fit`: where each piece begins in the tokens; pieces of a window stand side by side. */
  readonly places?: Float64Array
  /** Under `best_fit`: the first piece of each window, and behind the last how many there are. */
  readonly firsts?: Float64Array
}

export interface WindowsFill {
  readonly numWindows: number
  /** The share of slots that hold tokens. */
  readonly fill: number
  readonly numPadding: number
  /** Tokens that no window holds. */
  readonly numDroppedTokens: number
  readonly numSplitDocuments: number
}

/** Totals over the windows of one dataset or several. */
export function windowsFill(all: readonly SegmentedWindows[]): WindowsFill {
  const sum = (of: (windows: SegmentedWindows) => number) =>
    all.reduce((total, windows) => total + of(windows), 0)
  const slots = sum(({ count, contextLength }) => count * contextLength)
  const filled = sum(({ filledSlots }) => filledSlots)
  return {
    numWindows: sum(({ count }) => count),
    fill: slots === 0 ? 0 : filled / slots,
    numPadding: slots - filled,
    numDroppedTokens: sum(({ droppedTokens }) => droppedTokens),
    numSplitDocuments: sum(({ splitDocuments }) => splitDocuments),
  }
}
