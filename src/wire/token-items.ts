import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { bytesOfToken } from '../first-layer/tokens/vocabulary.js'
import type { Offsets } from '../first-layer/windows/offsets.js'
import type { TextDocuments } from '../first-layer/windows/text-documents.js'

/** Most tokens whose JSON is made between two looks at the clock, and its length beyond which no token is added. */
const SLICE = 64
const SLICE_UNITS = 65_536

/** Texts as UTF-8, one after the other, and where each begins. */
export interface TextsUtf8 {
  readonly bytes: Buffer
  readonly starts: Offsets
}

/**
 * The tokens of texts as JSON, a comma behind each, a few tokens at a time: for tokenizers of any kind, and
 * tokens of any length. token-json.ts does the same for lossless tokenizers, much faster.
 *
 * Where the ids come with ranges, `bytes` are those of the text: `Running` as `run`, `##ning` gives
 * `{"id":3,"bytes":"UnVu","text":"run","start":0,"end":3},{"id":4,"bytes":"bmluZw==","text":"##ning","start":3,"end":7},`
 *
 * @param utf8 the texts, needed where the ids come with ranges
 * @param list the texts whose ids they are, each with offsets of its own; absent for a single text
 */
export function* tokenItems(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  utf8?: TextsUtf8,
  list?: TextDocuments,
): Generator<string, void, void> {
  let [d, place] = [0, 0]
  let textEnd = list?.start(1) ?? ids.length
  for (let index = 0; index < ids.length; ) {
    let items = ''
    const last = Math.min(index + SLICE, ids.length)
    for (; index < last && items.length < SLICE_UNITS; index++) {
      for (; list !== undefined && index === textEnd; place = 0) textEnd = list.start(++d + 1)
      const id = ids.at(index)
      const range = rangeAt(ids, index)
      const bytes = range === undefined ? ownBytes(tokenizer, id) : bytesIn(utf8!, d, range)
      const { start, end } = range ?? { start: place, end: place + bytes.length }
      place = end
      const text = JSON.stringify(tokenizer.tokenText(id) ?? null)
      items += `{"id":${id},"bytes":"${bytes.toString('base64')}","text":${text},"start":${start},"end":${end}},`
    }
    yield items
  }
}

interface ByteRange {
  readonly start: number
  readonly end: number
}

function rangeAt({ ranges }: TokenBuffer, index: number): ByteRange | undefined {
  return ranges && { start: ranges.at(2 * index), end: ranges.at(2 * index + 1) }
}

/** A part of text `d`. */
function bytesIn({ bytes, starts }: TextsUtf8, d: number, { start, end }: ByteRange): Buffer {
  return bytes.subarray(starts.at(d) + start, starts.at(d) + end)
}

function ownBytes({ vocabulary }: Tokenizer, id: number): Buffer {
  const bytes = vocabulary && bytesOfToken(vocabulary, id)
  if (bytes === undefined) throw new RangeError(`token ${id} has neither bytes nor a range`)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
