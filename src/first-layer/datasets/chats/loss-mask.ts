import { strip } from 'inlet-chat-template'
import type { PlacedIds } from './token-ranges.js'
import type { TurnSpan } from './turn-spans.js'

/** What a mask says of how its tokens can be learned, beside the tokens that it trains. */
export interface MaskCounts {
  num_prefilled: number
  num_without_stop: number
  num_straddling: number
}

/**
 * The law `sampled`: a token is trained whose extent, from the end of the token before it to its own end, lies in a span.
 *
 * @param stops ids of the added tokens that are not of white space alone
 * @param hasStop a document's end is appended that is trained: no span lacks an end
 * @param counts to which those of this text are added
 */
export function sampledMask(
  text: string,
  { ids, starts, ends }: PlacedIds,
  spans: readonly TurnSpan[],
  { trailing, stops, hasStop }: { trailing: 'mask' | 'train'; stops: ReadonlySet<number>; hasStop: boolean },
  counts: MaskCounts,
): Uint8Array {
  const extents = starts.map((start, i) => Math.min(start, ends[i - 1] ?? 0))
  const utf8 = Buffer.from(text)
  const mask = new Uint8Array(ids.length)
  const overlaps = new Uint8Array(ids.length)
  for (const span of spans) {
    const [start, spanEnd] = inBytes(text, span)
    let [last, stop] = [-1, -1]
    for (let i = 0; i < ids.length; i++)
      if (start <= extents[i]! && ends[i]! <= spanEnd && stops.has(ids[i]!)) last = i
    if (last >= 0 && strip(utf8.toString('utf8', ends[last], spanEnd)) === '') stop = ends[last]!
    if (span.isPrefilled) counts.num_prefilled++
    if (stop < 0 && !hasStop) counts.num_without_stop++
    const end = stop < 0 || trailing === 'train' ? spanEnd : stop
    for (let i = 0; i < ids.length; i++) {
      if (start <= extents[i]! && ends[i]! <= end) mask[i] = 1
      else if (extents[i]! < end && ends[i]! > start) overlaps[i] = 1
    }
  }
  for (const [i, overlap] of overlaps.entries()) if (overlap && !mask[i]) counts.num_straddling++
  return mask
}

/**
 * The law `tags`: a token is trained that overlaps a span, found in one pass as transformers does.
 *
 * @param spans in the order in which their blocks end
 */
export function taggedMask(
  text: string,
  { starts, ends }: PlacedIds,
  spans: readonly TurnSpan[],
): Uint8Array {
  const places = spans.flatMap((span) => inBytes(text, span))
  const mask = new Uint8Array(starts.length)
  let k = 0
  for (let i = 0; i < mask.length; i++) {
    while (k < places.length && starts[i]! >= places[k + 1]!) k += 2
    if (k === places.length) break
    if (ends[i]! > places[k]!) mask[i] = 1
  }
  return mask
}

function inBytes(text: string, { start, end }: TurnSpan): readonly [start: number, end: number] {
  const from = Buffer.byteLength(text.slice(0, start))
  return [from, from + Buffer.byteLength(text.slice(start, end))]
}
