import { PAUSE, type Steps } from '../first-layer/steps.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../first-layer/tokens/vocabulary.js'
import type { TextDocuments } from '../first-layer/windows/text-documents.js'
import type { EncodedAnswer } from './formats/format.js'
import { MAX_ENTRY_TOKEN_BYTES } from './token-entries.js'
import { type TextsUtf8, tokenItems } from './token-items.js'
import { answerEnd } from './tokenized-list.js'

const withShortTokens = new WeakMap<Vocabulary, boolean>()

/** Whether `tokenizedJson` can write every token of the tokenizer. */
export function hasShortTokens({ vocabulary }: Tokenizer): boolean {
  if (vocabulary === undefined) return false
  let areShort = withShortTokens.get(vocabulary)
  if (areShort === undefined) {
    areShort = longestToken(vocabulary) <= MAX_ENTRY_TOKEN_BYTES
    withShortTokens.set(vocabulary, areShort)
  }
  return areShort
}

function longestToken({ offsets }: Vocabulary): number {
  let longest = 0
  for (let id = 1; id < offsets.length; id++) longest = Math.max(longest, offsets[id]! - offsets[id - 1]!)
  return longest
}

/**
 * The full answer of `/v1/tokenize` for tokenizers of any kind, in the form of `tokenizedJson`. It is made twice, the
 * first time only to learn its size.
 *
 * @param limit bytes of the longest answer
 * @param utf8 the texts, needed where the ids come with ranges
 * @param list as in `tokenizedJson`
 * @returns undefined where the answer would be longer; it is not made any further then
 */
export function tokenizedItems(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  limit: number,
  utf8?: TextsUtf8,
  list?: TextDocuments,
): Steps<EncodedAnswer | undefined> {
  return measured(() => parts(tokenizer, ids, utf8, list), limit)
}

/**
 * An answer of texts that are made twice, the first time only to learn their size.
 *
 * @returns undefined for more than `limit` bytes
 */
export function* measured(texts: () => Iterable<string>, limit: number): Steps<EncodedAnswer | undefined> {
  let size = 0
  for (const part of texts()) {
    yield PAUSE
    size += Buffer.byteLength(part)
    if (size > limit) return undefined
  }
  return { size, exact: true, headers: {}, body: blocks(texts()) }
}

async function* blocks(texts: Iterable<string>): AsyncGenerator<Uint8Array, void, void> {
  for (const text of texts) yield Buffer.from(text)
}

function* parts(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  utf8?: TextsUtf8,
  list?: TextDocuments,
): Generator<string, void, void> {
  yield '{"input_ids":['
  let separator = ''
  for (const block of ids.blocks()) {
    for (let start = 0; start < block.length; start += 1024) {
      yield separator + block.subarray(start, start + 1024).join(',')
      separator = ','
    }
  }
  yield `],"num_tokens":${ids.length},"num_characters":${ids.characters},"tokens":[`
  let held: string | undefined
  for (const items of tokenItems(tokenizer, ids, utf8, list)) {
    if (held !== undefined) yield held
    held = items
  }
  yield `${held?.slice(0, -1) ?? ''}]`
  yield* answerEnd(list)
}
