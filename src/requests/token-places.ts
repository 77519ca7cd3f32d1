import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { TokenPlaces } from '../first-layer/windows/cuts.js'
import type { TextDocuments } from '../first-layer/windows/text-documents.js'

/** Where the tokens of text `d` stand in its bytes: by their ranges, or one after the other by their lengths. */
export function placesOf({ vocabulary }: Tokenizer, list: TextDocuments, d: number): TokenPlaces {
  const { ids } = list
  const first = list.start(d)
  const count = list.length(d)
  const { ranges } = ids
  if (ranges !== undefined) {
    return {
      count,
      start: (i) => ranges.at(2 * (first + i)),
      end: (i) => ranges.at(2 * (first + i) + 1),
    }
  }
  if (vocabulary === undefined) throw new RangeError('a tokenizer has neither ranges nor bytes of its tokens')
  const { offsets } = vocabulary
  let [at, end] = [-1, 0]
  const goTo = (i: number) => {
    for (; at < i; at++) {
      const id = ids.at(first + at + 1)
      end += offsets[id + 1]! - offsets[id]!
    }
    return end
  }
  return { count, start: (i) => goTo(i - 1), end: goTo }
}
