/** Slots of a window that belong together: a part of one document, or padding. */
export interface Segment {
  /** −1: padding. */
  readonly number: number
  readonly from: number
  readonly ids: readonly number[]
}

/** The number of padding's segment. */
export const PADDING = -1

/** [5, 6, 7, 0], [0, 0, 1, −1] → 5 6, 7, and a pad. */
export function segmentsOf(ids: readonly number[], numbers: readonly number[]): Segment[] {
  const segments: Segment[] = []
  for (let from = 0; from < ids.length; ) {
    let to = from + 1
    while (to < ids.length && numbers[to] === numbers[from]) to++
    segments.push({ number: numbers[from], from, ids: ids.slice(from, to) })
    from = to
  }
  return segments
}
