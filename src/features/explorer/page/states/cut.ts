/**
 * The beginning of a text whose request has at most `limit` bytes of JSON, between two characters. A text of which JSON
 * writes some characters longer is cut by its share of them, then by a tenth as often as it needs.
 *
 * @param fieldsOf the fields that carry a text
 */
export function cutToFit(text: string, limit: number, fieldsOf: (text: string) => object): string {
  const sizeOf = (each: string) => bytesOf(JSON.stringify(fieldsOf(each)))
  let cut = text
  for (let size = sizeOf(cut); size > limit && cut !== ''; size = sizeOf(cut)) {
    const share = Math.min(0.99, (limit / size) * 0.999)
    cut = cutAt(cut, Math.floor(cut.length * share))
  }
  return cut
}

/** The first `length` UTF-16 units; a character is not cut in two. */
export function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
