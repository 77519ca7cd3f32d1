import { sliceEnd } from '../tokenize.js'

/** UTF-16 units of a part. */
const PART_UNITS = 1 << 14

/** A text in parts of whole code points. */
export function* partsOf(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start, PART_UNITS)
    yield text.slice(start, end)
    start = end
  }
}
