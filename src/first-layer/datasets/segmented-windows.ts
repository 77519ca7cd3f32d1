import { PAUSE, type Steps } from '../steps.js'
import type { DocumentBounds } from '../windows/document-bounds.js'
import { planWindows, type Tail } from '../windows/windows.js'
import { packBestFit } from './best-fit.js'
import { type Segment, type SegmentedWindows, STEP_DOCUMENTS } from './segments.js'

export type Packing = 'none' | 'concat' | 'best_fit'

export interface PackingRule {
  /** T. */
  readonly contextLength: number
  /** Step between window starts, in tokens. Default: T. */
  readonly stride?: number
  readonly tail?: Tail
  readonly packing?: Packing
  /** Under `best_fit`: what happens to a document longer than T. */
  readonly longDocuments?: 'split' | 'truncate'
}

/** The windows of documents under a packing. */
export function segmentedWindows(documents: DocumentBounds, rule: PackingRule): Steps<SegmentedWindows> {
  if (rule.packing === 'best_fit') {
    return packBestFit(documents, rule.contextLength, rule.longDocuments ?? 'split')
  }
  return rule.packing === 'concat' ? concatWindows(documents, rule) : documentWindows(documents, rule)
}

/** Windows of each document. */
function* documentWindows(documents: DocumentBounds, rule: PackingRule): Steps<SegmentedWindows> {
  const { contextLength } = rule
  const stride = rule.stride ?? contextLength
  const windows = yield* planWindows(documents, rule)
  let filledSlots = windows.count * contextLength
  let splitDocuments = 0
  for (let d = 0; d < documents.count; d++) {
    const count = windows.countOf(d)
    const lastTokens = documents.length(d) - (count - 1) * stride // only the last window can be short
    if (count > 0) filledSlots -= Math.max(0, contextLength - lastTokens)
    if (count > 1) splitDocuments++
    if (d % STEP_DOCUMENTS === STEP_DOCUMENTS - 1) yield PAUSE
  }
  return {
    contextLength,
    count: windows.count,
    filledSlots,
    droppedTokens: windows.droppedTokens,
    splitDocuments,
    segments(window) {
      const { document, start } = windows.locate(window)
      return [{ document, start, length: Math.min(contextLength, documents.length(document) - start) }]
    },
  }
}

/** Windows of one stream, in which the documents stand one after the other. */
function* concatWindows(documents: DocumentBounds, rule: PackingRule): Steps<SegmentedWindows> {
  const { contextLength } = rule
  const stride = rule.stride ?? contextLength
  const total = documents.totalTokens
  const stream: DocumentBounds = {
    count: 1,
    totalTokens: total,
    longest: total,
    start: (d) => (d === 0 ? 0 : total),
    length: () => total,
    documentAt: () => 0,
  }
  const windows = yield* documentWindows(stream, rule)
  let splitDocuments = 0
  for (let d = 0; d < documents.count; d++) {
    const [first, last] = [documents.start(d), documents.start(d + 1) - 1]
    if (first <= last && windowsWith(first, last, windows, stride) > 1) splitDocuments++
    if (d % STEP_DOCUMENTS === STEP_DOCUMENTS - 1) yield PAUSE
  }
  return {
    ...windows,
    splitDocuments,
    segments(window) {
      const begin = window * stride
      const end = Math.min(begin + contextLength, total)
      const found: Segment[] = []
      let document = documents.documentAt(begin)
      for (let at = begin; at < end; document++) {
        const stop = Math.min(documents.start(document + 1), end)
        if (stop > at) found.push({ document, start: at - documents.start(document), length: stop - at })
        at = stop
      }
      return found
    },
  }
}

/** Windows at 0, stride, … that hold a token of `first` … `last`. */
function windowsWith(
  first: number,
  last: number,
  { count, contextLength }: Pick<SegmentedWindows, 'count' | 'contextLength'>,
  stride: number,
): number {
  const from = Math.max(0, Math.ceil((first - contextLength + 1) / stride))
  const to = Math.min(count - 1, Math.floor(last / stride))
  return Math.max(0, to - from + 1)
}
