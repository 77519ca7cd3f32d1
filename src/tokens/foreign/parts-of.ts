/** UTF-16 units of a part. */
const PART_UNITS = 1 << 14

/** A text in parts of whole code points. */
export function* partsOf(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    let end = start + PART_UNITS
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end-- // between the halves of a surrogate pair
    yield text.slice(start, end)
    start = end
  }
}
