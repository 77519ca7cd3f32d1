import type { TokenBuffer } from '../../tokens/token-buffer.js'
import type { Tokenizer } from '../../tokens/tokenizer.js'

/** The ids of a text, and where each stands in its UTF-8, in whole characters. */
export interface PlacedIds {
  readonly ids: Int32Array
  readonly starts: Int32Array
  readonly ends: Int32Array
}

const BLANK = 0x20

/**
 * The places of a text's ids as the Rust library gives them: whole characters, without blanks where the file trims them.
 *
 * @param ids with ranges, unless the tokenizer is lossless
 */
export function placedIds(tokenizer: Tokenizer, ids: TokenBuffer, utf8: Uint8Array): PlacedIds {
  const count = ids.length
  const placed = { ids: ids.toInt32Array(), starts: new Int32Array(count), ends: new Int32Array(count) }
  const { starts, ends } = placed
  const { vocabulary, trims } = tokenizer
  for (let i = 0, end = 0; i < count; i++) {
    const id = placed.ids[i]!
    const start = ids.ranges?.at(2 * i) ?? end
    end = ids.ranges?.at(2 * i + 1) ?? start + vocabulary!.offsets[id + 1]! - vocabulary!.offsets[id]!
    starts[i] = characterStart(utf8, start)
    ends[i] = end > start ? characterEnd(utf8, end) : starts[i]!
  }
  if (trims !== undefined) trim(tokenizer, placed, utf8)
  return placed
}

/** As `process_offsets` of the Rust library's ByteLevel. */
function trim(tokenizer: Tokenizer, { ids, starts, ends }: PlacedIds, utf8: Uint8Array): void {
  const { addedTokens = [], vocabulary, trims } = tokenizer
  const { bytes, offsets } = vocabulary!
  const added = new Map(addedTokens.map(({ id, content }) => [id, content]))
  for (const [i, id] of ids.entries()) {
    const content = added.get(id)
    const [from, to] = [offsets[id]!, offsets[id + 1]!]
    let leading = content === undefined ? 0 : whiteSpace(content)
    let trailing = content === undefined ? 0 : whiteSpace([...content].reverse().join(''))
    if (content === undefined) {
      while (from + leading < to && bytes[from + leading] === BLANK) leading++
      while (to - trailing > from && bytes[to - 1 - trailing] === BLANK) trailing++
    }
    if (leading === 1 && trims === 'all_but_first' && (i === 0 || starts[i] === 0)) leading = 0
    for (; leading > 0 && starts[i]! < ends[i]!; leading--) starts[i] = characterEnd(utf8, starts[i]! + 1)
    for (; trailing > 0 && starts[i]! < ends[i]!; trailing--) ends[i] = characterStart(utf8, ends[i]! - 1)
  }
}

/** Characters of white space that a text begins with. */
function whiteSpace(text: string): number {
  return /^(?:(?!\ufeff)[\s\u0085])*/u.exec(text)![0].length
}

const characterStart = (utf8: Uint8Array, place: number) => between(utf8, place, -1)
const characterEnd = (utf8: Uint8Array, place: number) => between(utf8, place, 1)

/** The first place in a direction, from this one on, that stands in no character. */
function between(utf8: Uint8Array, place: number, step: -1 | 1): number {
  let at = place
  while (at > 0 && at < utf8.length && (utf8[at]! & 0xc0) === 0x80) at += step
  return at
}
