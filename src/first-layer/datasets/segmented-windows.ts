import type { DocumentBounds } from '../windows/document-bounds.js'
import { locator } from '../windows/windows.js'
import type { Segment, SegmentedWindows, WindowIndex } from './segments.js'
import type { PackingRule } from './window-index.js'

/** The windows of documents under a packing, as their index has them. */
export function segmentedWindows(
  documents: DocumentBounds,
  rule: PackingRule,
  index: WindowIndex,
): SegmentedWindows {
  const { contextLength, packing = 'none' } = rule
  const { count, filledSlots, droppedTokens, splitDocuments } = index
  const segments = SEGMENTS[packing](documents, rule, index)
  return { contextLength, count, filledSlots, droppedTokens, splitDocuments, segments }
}

type Finder = (
  documents: DocumentBounds,
  rule: PackingRule,
  index: WindowIndex,
) => SegmentedWindows['segments']

const SEGMENTS = {
  none(documents, { contextLength, stride = contextLength }, { firstWindow }) {
    const locate = locator(firstWindow!, stride)
    return (window) => {
      const { document, start } = locate(window)
      return [{ document, start, length: Math.min(contextLength, documents.length(document) - start) }]
    }
  },

  concat(documents, { contextLength, stride = contextLength }) {
    return (window) => {
      const begin = window * stride
      const end = Math.min(begin + contextLength, documents.totalTokens)
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

  best_fit(documents, { contextLength }, { places, firsts }) {
    return (window) =>
      Array.from(places!.subarray(firsts![window], firsts![window + 1]), (place) => {
        const document = documents.documentAt(place)
        const start = place - documents.start(document)
        return { document, start, length: Math.min(contextLength, documents.length(document) - start) }
      })
  },
} satisfies Readonly<Record<string, Finder>>
