import { sharedFloat64Array } from '../memory.js'
import { type DocumentBounds, StoredBounds } from '../windows/documents.js'
import { countWindows, locator } from '../windows/windows.js'
import { packBestFit } from './best-fit.js'
import type { PackingRule } from './recipe-options.js'
import { countTargets, type Segment, type SegmentedWindows, type WindowIndex } from './segments.js'
import type { TokenMask } from './token-mask.js'

/** The rule as a text: equal rules have equal texts. */
export function ruleKey({ context_length, stride, tail, packing, long_documents }: PackingRule): string {
  const parts =
    packing === 'best_fit'
      ? [packing, context_length, long_documents]
      : [packing, context_length, stride ?? context_length, tail ?? 'drop']
  return parts.join(' ')
}

/** Computes the index: a walk over all documents, or a packing of them. */
export function windowIndex(documents: DocumentBounds, rule: PackingRule, mask?: TokenMask): WindowIndex {
  const { packing } = rule
  const isStream = packing === 'concat'
  const index = INDEXES[packing](documents, rule, mask)
  if (mask === undefined) return index
  const { segments } = segmentedWindows(documents, rule, index)
  let numTargetTokens = 0
  for (let w = 0; w < index.count; w++)
    for (const segment of segments(w)) numTargetTokens += countTargets({ documents, mask }, segment, isStream)
  return { ...index, numTargetTokens }
}

const INDEXES: Readonly<Record<PackingRule['packing'], typeof windowIndex>> = {
  none: documentIndex,
  concat: streamIndex,
  best_fit: packBestFit,
}

/** Windows of each document. */
function documentIndex(documents: DocumentBounds, rule: PackingRule): WindowIndex {
  const { context_length, stride = context_length } = rule
  const { firstWindow, droppedTokens } = countWindows(documents, context_length, rule, sharedFloat64Array)
  const count = firstWindow[documents.count]
  let filledSlots = count * context_length
  let splitDocuments = 0
  for (let d = 0; d < documents.count; d++) {
    const own = firstWindow[d + 1] - firstWindow[d]
    const lastTokens = documents.length(d) - (own - 1) * stride // only the last window can be short
    if (own > 0) filledSlots -= Math.max(0, context_length - lastTokens)
    if (own > 1) splitDocuments++
  }
  return { count, filledSlots, droppedTokens, splitDocuments, firstWindow }
}

/** Windows of one stream, in which the documents stand one after the other: known by arithmetic. */
function streamIndex(documents: DocumentBounds, rule: PackingRule): WindowIndex {
  const { context_length, stride = context_length } = rule
  const asOne = new StoredBounds([0, documents.totalTokens])
  const { firstWindow: _, ...index } = documentIndex(asOne, rule)
  let splitDocuments = 0
  for (let d = 0; d < documents.count; d++) {
    const [first, last] = [documents.start(d), documents.start(d + 1) - 1]
    if (first <= last && windowsWith(first, last, index.count, { context_length, stride }) > 1)
      splitDocuments++
  }
  return { ...index, splitDocuments }
}

/** Windows at 0, stride, … that hold a token of `first` … `last`. */
function windowsWith(
  first: number,
  last: number,
  count: number,
  { context_length, stride }: { readonly context_length: number; readonly stride: number },
): number {
  const from = Math.max(0, Math.ceil((first - context_length + 1) / stride))
  const to = Math.min(count - 1, Math.floor(last / stride))
  return Math.max(0, to - from + 1)
}

/** The windows of documents under a packing, as their index has them. */
export function segmentedWindows(
  documents: DocumentBounds,
  rule: PackingRule,
  index: WindowIndex,
): SegmentedWindows {
  const { context_length, packing } = rule
  return { ...index, contextLength: context_length, segments: SEGMENTS[packing](documents, rule, index) }
}

type Finder = (
  documents: DocumentBounds,
  rule: PackingRule,
  index: WindowIndex,
) => SegmentedWindows['segments']

const SEGMENTS = {
  none(documents, { context_length, stride = context_length }, { firstWindow }) {
    const locate = locator(firstWindow!, stride)
    return (window) => {
      const { document, start } = locate(window)
      return [{ document, start, length: Math.min(context_length, documents.length(document) - start) }]
    }
  },

  concat(documents, { context_length, stride = context_length }) {
    return (window) => {
      const begin = window * stride
      const end = Math.min(begin + context_length, documents.totalTokens)
      const found: Segment[] = []
      let document = documents.documentAt(begin)
      for (let at = begin; at < end; document++) {
        const stop = Math.min(documents.start(document + 1), end)
        if (stop > at) found.push({ document, start: at - documents.start(document), length: stop - at })
        at = stop
      }
      return found
    }
  },

  best_fit(documents, { context_length }, { places, firsts }) {
    return (window) =>
      Array.from(places!.subarray(firsts![window], firsts![window + 1]), (place) => {
        const document = documents.documentAt(place)
        const start = place - documents.start(document)
        return { document, start, length: Math.min(context_length, documents.length(document) - start) }
      })
  },
} satisfies Readonly<Record<string, Finder>>
