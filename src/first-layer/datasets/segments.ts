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
