import type { SegmentedWindows } from './segments.js'

/** Windows and what they hold. */
export interface WindowsFill {
  readonly numWindows: number
  /** The share of slots that hold tokens. */
  readonly fill: number
  readonly numPadding: number
  /** Tokens that no window holds. */
  readonly numDroppedTokens: number
  readonly numSplitDocuments: number
}

/** What windows hold, those of one dataset or of several. */
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
