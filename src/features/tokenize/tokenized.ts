import type { Encoded } from '../../first-layer/formats/formats.js'
import { jsonAnswer, listOf, numberSlices, type Part, sliced } from '../../first-layer/formats/json.js'
import type { Text } from '../../first-layer/given.js'
import { Places } from '../../first-layer/tokenize.js'
import type { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { bytesOfToken } from '../../first-layer/tokens/vocabulary.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import type { Claim } from '../../service/process/turn.js'

/** Bytes that the answer's size counts for a token, its id in `input_ids` included, and for a text's counts. */
const TOKEN_BYTES = 100
const DOCUMENT_BYTES = 70

/** Most tokens in a slice, and its length beyond which none is added. */
const SLICE = 512
const SLICE_UNITS = 1 << 15

/**
 * The full answer of `/v1/tokenize`:
 *
 * `{"input_ids":[15496],"num_tokens":1,"num_characters":5,"tokens":[{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":0,"end":5}]}`
 *
 * Where the ids come with ranges, `bytes` are those of the text: `Running` as `run`, `##ning` gives
 * `{"id":3,"bytes":"UnVu","text":"run","start":0,"end":3},{"id":4,"bytes":"bmluZw==","text":"##ning","start":3,"end":7}`
 *
 * @param list the texts whose ids they are, each with its offsets; absent for a single text, not given as a list
 * @param utf8 the texts, needed where the ids come with ranges
 * @param mask of the ids, if one was asked for
 */
export function tokenizedJson(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  list?: Documents,
  utf8?: TextsUtf8,
  mask?: Uint8Array,
): Encoded {
  return jsonAnswer({
    input_ids: listOf(numberSlices(ids.blocks())),
    loss_mask: mask && listOf(numberSlices([Int32Array.from(mask)])),
    ...{ num_tokens: ids.length, num_characters: ids.characters },
    tokens: listOf(tokenSlices(tokenizer, ids, list, utf8), TOKEN_BYTES * ids.length),
    documents: list && countsOf(list),
  })
}

/** The answer of `/v1/tokenize` to a list of texts under `count_only`. */
export function listCounts(list: Documents): Encoded {
  const { totalTokens, totalCharacters } = list
  return jsonAnswer({ num_tokens: totalTokens, num_characters: totalCharacters, documents: countsOf(list) })
}

/** Where each text's ids begin, and its counts. */
function countsOf(list: Documents): Part {
  const counts = sliced(list.count, (d) => ({
    start: list.start(d),
    num_tokens: list.length(d),
    num_characters: list.characters(d),
  }))
  return listOf(counts, DOCUMENT_BYTES * list.count)
}

/** The JSON of each token, some at a time: JSON.stringify of an object for each takes three times as long. */
function* tokenSlices(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  list: Documents | undefined,
  utf8: TextsUtf8 | undefined,
): Generator<string, void, void> {
  const places = new Places(ids, list)
  const known = knownTokens.get(tokenizer) ?? new Array<Known | undefined>(tokenizer.vocabSize)
  knownTokens.set(tokenizer, known)
  for (let index = 0; index < ids.length; ) {
    let slice = ''
    const last = Math.min(index + SLICE, ids.length)
    for (; index < last && slice.length < SLICE_UNITS; index++) {
      const id = ids.at(index)
      const token = known[id] ?? knownToken(tokenizer, id)
      known[id] = token
      const { own, length, text } = token
      const { start, end } = places.next(length)
      const first = (utf8?.starts.at(places.text) ?? 0) + start
      const bytes = utf8?.bytes.toString('base64', first, first + end - start) ?? own
      slice += `,{"id":${id},"bytes":"${bytes}","text":${text},"start":${start},"end":${end}}`
    }
    yield slice.slice(1)
  }
}

/** What of a token's JSON depends on its id alone, made when the id first comes. */
const knownTokens = new WeakMap<Tokenizer, (Known | undefined)[]>()

type Known = ReturnType<typeof knownToken>

/** A token that does not consist of whole characters has the text `null`; one without bytes of its own those of the text. */
function knownToken(tokenizer: Tokenizer, id: number) {
  const own = (tokenizer.vocabulary && bytesOfToken(tokenizer.vocabulary, id)) ?? new Uint8Array()
  const text = JSON.stringify(tokenizer.tokenText(id) ?? null)
  return { own: Buffer.from(own).toString('base64'), length: own.length, text }
}

interface TextsUtf8 {
  readonly bytes: Buffer
  readonly starts: readonly number[]
}

/** Memory that a text takes beside its UTF-8. */
const TEXT_BYTES = 8

/** Texts as UTF-8 in one piece, whose memory is reserved. */
export async function textsUtf8(texts: readonly Text[], claim: Claim): Promise<TextsUtf8> {
  const most = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + TEXT_BYTES, 0)
  await claim.take(most)
  const starts: number[] = []
  const utf8 = Buffer.allocUnsafeSlow(most)
  let length = 0
  for (const text of texts) {
    starts.push(length)
    if (typeof text === 'string') length += utf8.write(text, length)
    else {
      utf8.set(text, length)
      length += text.length
    }
  }
  return { bytes: utf8.subarray(0, length), starts }
}
