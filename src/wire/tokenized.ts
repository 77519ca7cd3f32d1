import { PAUSE, type Steps } from '../first-layer/steps.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { TextDocuments } from '../first-layer/windows/text-documents.js'
import { BlockPool } from './block-pool.js'
import type { EncodedAnswer } from './formats/format.js'
import { TOKEN_SLICE, type TokenJson, tokenJson } from './token-json.js'
import { answerEnd, answerEndBytes } from './tokenized-list.js'

const BLOCK_BYTES = 1 << 16
/** Most bytes of a slice of ids, a comma behind each. */
const MAX_SLICE_BYTES = 12 * TOKEN_SLICE

const pool = new BlockPool(BLOCK_BYTES, 16)

const COMMA = 0x2c
const CLOSE = 0x5d

/** The text in front of the list of ids, and in front of the list of tokens. */
interface Frame {
  readonly before: string
  readonly between: string
}

/** A few ids of one text. */
interface Slice {
  readonly ids: Int32Array
  /** Whether a text begins with them. */
  readonly begins: boolean
}

/**
 * The full answer of `/v1/tokenize` as a stream of JSON text, so that millions of tokens never exist as objects.
 * Its size is computed beforehand.
 *
 * `{"input_ids":[15496],"num_tokens":1,"num_characters":5,"tokens":[{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":0,"end":5}]}`
 *
 * @param list the texts whose ids they are; absent for a single text, not given as a list
 */
export function* tokenizedJson(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  list?: TextDocuments,
): Steps<EncodedAnswer> {
  const json = tokenJson(tokenizer)
  const frame = {
    before: '{"input_ids":[',
    between: `,"num_tokens":${ids.length},"num_characters":${ids.characters},"tokens":[`,
  }
  const lists = yield* listBytes(json, ids, list)
  const end = yield* answerEndBytes(list)
  const size = frame.before.length + frame.between.length + lists + end
  return { size, exact: true, headers: {}, body: text(json, ids, list, frame) }
}

/** Bytes of both lists. A comma follows each element except the last, which the closing bracket follows. */
function* listBytes(json: TokenJson, ids: TokenBuffer, list?: TextDocuments): Steps<number> {
  if (ids.length === 0) return 2
  let bytes = 0
  let start = 0
  for (const slice of slices(ids)) {
    yield PAUSE
    bytes += json.measureIds(slice.ids)
  }
  for (const slice of slices(ids, list)) {
    yield PAUSE
    bytes += json.measureTokens(slice.ids, slice.begins ? 0 : start)
    start = json.end
  }
  return bytes
}

async function* text(
  json: TokenJson,
  ids: TokenBuffer,
  list: TextDocuments | undefined,
  { before, between }: Frame,
): AsyncGenerator<Uint8Array, void, void> {
  const block = pool.take()
  try {
    let at = block.write(before)
    for (const slice of slices(ids)) {
      if (at + MAX_SLICE_BYTES + between.length > BLOCK_BYTES) {
        yield block.subarray(0, at)
        at = 0
      }
      at = json.writeIds(block, at, slice.ids)
    }
    at = closeList(block, at)
    at += block.write(between, at)

    let start = 0
    for (const slice of slices(ids, list)) {
      if (slice.begins) start = 0
      for (let done = 0; ; ) {
        at = json.writeTokens(block, at, slice.ids.subarray(done), start)
        start = json.end
        done += json.written
        if (done === slice.ids.length) break
        yield block.subarray(0, at)
        at = 0
      }
    }
    at = closeList(block, at)
    for (const part of answerEnd(list)) {
      if (at + part.length > BLOCK_BYTES) {
        yield block.subarray(0, at)
        at = 0
      }
      at += block.write(part, at)
    }
    yield block.subarray(0, at)
  } finally {
    pool.give(block)
  }
}

/** The ids a few at a time; where `list` is given, never those of two texts. */
function* slices(ids: TokenBuffer, list?: TextDocuments): Generator<Slice, void, void> {
  let [d, place, begins] = [0, 0, true]
  let end = list?.start(1) ?? ids.length
  for (const block of ids.blocks()) {
    for (let from = 0; from < block.length; ) {
      for (; list !== undefined && place === end; begins = true) end = list.start(++d + 1)
      const slice = block.subarray(from, from + Math.min(TOKEN_SLICE, end - place))
      yield { ids: slice, begins }
      begins = false
      from += slice.length
      place += slice.length
    }
  }
}

/** Puts the bracket in the place of the last comma; returns where the list ends. */
function closeList(block: Uint8Array, at: number): number {
  const end = block[at - 1] === COMMA ? at - 1 : at
  block[end] = CLOSE
  return end + 1
}
