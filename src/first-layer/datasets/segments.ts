/** Tokens of one document that stand side by side in a window. */
export interface Segment {
  readonly document: number
  /** The first token, counted in its document. */
  readonly start: number
  readonly length: number
}

/** The windows of a dataset under one packing. */
export interface SegmentedWindows {
  /** T. */
  readonly contextLength: number
  readonly count: number
  /** Slots of all windows that hold tokens, of `count` · T. */
  readonly filledSlots: number
  /** Tokens that no window holds, neither as input nor as target. */
  readonly droppedTokens: number
  /** Documents whose tokens stand in more than one window. */
  readonly splitDocuments: number
  /** The segments of a window, in order. */
  segments(window: number): Segment[]
}

/** Documents between two pauses: a tenth of a millisecond of work. */
export const STEP_DOCUMENTS = 4096

/**
 * What a packing makes of a dataset, in numbers alone: a file can hold it, and threads share its arrays. Which tokens
 * a window has follows from it, see `segmentedWindows`.
 */
export interface WindowIndex {
  readonly count: number
  /** Slots of all windows that hold tokens, of `count` · T. */
  readonly filledSlots: number
  /** Tokens that no window holds, neither as input nor as target. */
  readonly droppedTokens: number
  /** Documents whose tokens stand in more than one window. */
  readonly splitDocuments: number
  /** Under `none`: document d has the windows [d], …, [d + 1] − 1. */
  readonly firstWindow?: Float64Array
  /** Under `best_fit`: where each piece begins in the tokens; pieces of a window stand side by side. */
  readonly places?: Float64Array
  /** Under `best_fit`: the first piece of each window, and behind the last how many there are. */
  readonly firsts?: Float64Array
}
