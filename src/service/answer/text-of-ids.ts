import { isUtf8 } from 'node:buffer'
import { InletError, responseTooLarge } from '../../first-layer/errors.js'
import type { Encoded } from '../../first-layer/formats/formats.js'
import type { Blocks } from '../../first-layer/tensors/blocks.js'
import type { Ids } from '../../first-layer/tokens/token-buffer.js'
import { type DecodedText, nameOf, type Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { openTail } from '../../first-layer/tokens/unicode/utf8-sequence.js'
import type { TokenStrings, Vocabulary } from '../../first-layer/tokens/vocabulary.js'
import type { IdLists } from '../../first-layer/windows/id-lists.js'
import type { Claim } from '../process/turn.js'
import { inTurns, turn } from '../process/turn.js'

/**
 * The text of ids as the last fields of an object of JSON, `,"text":"Hello, world!","lossy":false}` for
 * [15496, 11, 995, 0] in `gpt2`, made as it is sent. Its size counts the tokens' bytes; the escapes of JSON too where with
 * them it might be beyond the limit.
 * @throws InletError `token_out_of_range`, `response_too_large` beyond `limit` bytes
 */
export async function textOfIds(
  tokenizer: Tokenizer,
  ids: Ids,
  limit: number,
  claim: Claim,
): Promise<Encoded> {
  const { text, bytes } = await decodedText(tokenizer, ids, limit, claim)
  return textAnswer(() => decodedJson(text, ','), FRAME_BYTES + bytes, limit, claim)
}

/** @throws InletError `token_out_of_range`, `response_too_large` where the tokens' bytes alone are beyond `limit` */
export async function decodedText(
  tokenizer: Tokenizer,
  ids: Ids,
  limit: number,
  claim: Claim,
  path = 'input_ids',
): Promise<{ readonly text: DecodedText; readonly bytes: number }> {
  const { vocabulary, strings } = tokenizer
  const tokens = vocabulary ?? strings
  if (tokens === undefined) throw new RangeError('a tokenizer without bytes of its tokens must decode')
  const bytes = await textBytes(tokenizer, tokens, ids, claim, path)
  if (FRAME_BYTES + bytes > limit) throw tooLarge(limit, FRAME_BYTES + bytes)
  if (vocabulary !== undefined) return { text: vocabularyText(vocabulary, ids, bytes), bytes }
  await claim.take(tokenizer.decodeBytes?.(ids.length, bytes) ?? 0)
  return { text: await tokenizer.decode!(ids, claim), bytes }
}

/** @param size without escapes */
async function textAnswer(made: () => Blocks, size: number, limit: number, claim: Claim): Promise<Encoded> {
  if (size > limit) throw tooLarge(limit, size)
  if (MOST_ESCAPED * size > limit) {
    let length = 0
    for await (const block of inTurns(made(), claim)) length += block.length
    if (length > limit) throw tooLarge(limit, length)
  }
  return { size, exact: false, body: made() }
}

function tooLarge(limit: number, size: number): InletError {
  return responseTooLarge('application/json', limit, `about ${size} bytes`)
}

const FRAME_BYTES = '{"text":"","lossy":false}'.length
/** Bytes of the longest escape of a byte, \u0000. */
const MOST_ESCAPED = 6

/**
 * The same for ids as a request gives them: of a list of lists `{"documents":[{"text":"Hello","lossy":false}]}`.
 * @param skipped ids that are left out, once all are known to be tokens
 */
export async function textsOfIds(
  tokenizer: Tokenizer,
  given: IdLists,
  skipped: ReadonlySet<number> | undefined,
  limit: number,
  claim: Claim,
): Promise<Encoded> {
  const tokens = tokenizer.vocabulary ?? tokenizer.strings
  const texts: DecodedText[] = []
  let size = 0
  const { documents } = given
  for (let d = 0; d < given.count; d++) {
    await turn(claim)
    const path = given.isList ? `input_ids.${d}` : 'input_ids'
    const [start, length] = [documents.start(d), documents.length(d)]
    let ids: Ids = { length, at: (place) => given.at(start + place) }
    if (skipped !== undefined && tokens !== undefined) {
      await textBytes(tokenizer, tokens, ids, claim, path)
      await claim.take(length * Int32Array.BYTES_PER_ELEMENT)
      const all = Int32Array.from({ length }, (_, place) => given.at(start + place))
      ids = all.filter((id) => !skipped.has(id))
    }
    const { text, bytes } = await decodedText(tokenizer, ids, limit, claim, path)
    size += FRAME_BYTES + bytes
    texts.push(text)
  }
  const made = () => (given.isList ? documentsJson(texts) : decodedJson(texts[0]!))
  return textAnswer(made, size, limit, claim)
}

function* documentsJson(texts: readonly DecodedText[]): Generator<Uint8Array, void, void> {
  let before = '{"documents":['
  for (const text of texts) {
    yield Buffer.from(before)
    yield* decodedJson(text)
    before = ','
  }
  yield Buffer.from(']}')
}

/** Ids between two turns: a few tenths of a millisecond. */
const SLICE = 1 << 16

/**
 * Number of bytes of the ids' tokens: [15496, 11] in `gpt2` → 6.
 * @param tokens the tokens' bytes, or their strings
 * @throws InletError `token_out_of_range` for the first id that has no text
 */
export async function textBytes(
  tokenizer: Tokenizer,
  { offsets }: Pick<Vocabulary | TokenStrings, 'offsets'>,
  ids: Ids,
  claim: Claim,
  path = 'input_ids',
): Promise<number> {
  let bytes = 0
  for (let place = 0; place < ids.length; place++) {
    if (place % SLICE === 0) await turn(claim)
    const id = ids.at(place)!
    const length = offsets[id + 1] - offsets[id]
    if (!(length > 0)) throw textless(tokenizer, id, `${path}.${place}`)
    bytes += length
  }
  return bytes
}

function textless(tokenizer: Tokenizer, id: number, path: string): InletError {
  const rule = id < tokenizer.vocabSize ? 'no text for this id' : `ids below ${tokenizer.vocabSize}`
  const message = `\`${path}\` must be a token of ${nameOf(tokenizer)}, which has ${rule}. Given: ${id}`
  return new InletError('token_out_of_range', message, path)
}

export function* decodedJson(text: DecodedText, before = '{'): Generator<Uint8Array, void, void> {
  yield Buffer.from(`${before}"text":"`)
  for (const part of text.parts()) {
    yield Buffer.from(JSON.stringify(part).slice(1, -1))
  }
  yield Buffer.from(`","lossy":${text.lossy}}`)
}

/** Most bytes of tokens in a part: a tenth of a millisecond or two. */
export const TEXT_PART_BYTES = 1 << 15

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The text of tokens that are bytes; its parts, joined, equal the text of all bytes decoded at once. `lossy`
 * is known when they have been read once.
 * @param length how many bytes the ids have in all
 */
export function vocabularyText({ bytes, offsets }: Vocabulary, ids: Ids, length: number): DecodedText {
  const text = { lossy: false, parts }
  const decoded = (utf8: Buffer) => {
    text.lossy ||= !isUtf8(utf8)
    return lenient.decode(utf8)
  }
  function* parts() {
    const utf8 = Buffer.allocUnsafe(Math.min(length, TEXT_PART_BYTES))
    let end = 0
    for (let place = 0; place < ids.length; place++) {
      const id = ids.at(place)!
      for (let at = offsets[id]; at < offsets[id + 1]; at++) {
        if (end === utf8.length) {
          const whole = end - openTail(utf8)
          yield decoded(utf8.subarray(0, whole))
          end = utf8.copy(utf8, 0, whole) // the first bytes of a cut character wait for its rest
        }
        utf8[end++] = bytes[at]
      }
    }
    yield decoded(utf8.subarray(0, end))
  }
  return text
}
