import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { Pace, type StopSignal } from '../turn.js'
import { BlockPool } from './block-pool.js'
import type { EncodedAnswer } from './formats/format.js'
import { TOKEN_SLICE, type TokenJson, tokenJson } from './token-json.js'

const BLOCK_BYTES = 1 << 16
/** Most bytes of a slice of ids, a comma behind each. */
const MAX_SLICE_BYTES = 12 * TOKEN_SLICE

const pool = new BlockPool(BLOCK_BYTES, 16)

const COMMA = 0x2c
const CLOSE = 0x5d

/** The text around the list of ids and the list of tokens. */
interface Frame {
  readonly before: string
  readonly between: string
  readonly after: string
}

/**
 * The full answer of `/v1/tokenize` as a stream of JSON text, so that millions of tokens never exist as objects.
 * Its size is computed beforehand; that work, which takes long, is done in short turns.
 *
 * `{"input_ids":[15496],"num_tokens":1,"num_characters":5,"tokens":[{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":0,"end":5}]}`
 */
export async function tokenizedJson(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  signal?: StopSignal,
): Promise<EncodedAnswer> {
  const json = tokenJson(tokenizer)
  const frame = {
    before: '{"input_ids":[',
    between: `,"num_tokens":${ids.length},"num_characters":${ids.characters},"tokens":[`,
    after: '}',
  }
  const lists = await listBytes(json, ids, signal)
  const size = frame.before.length + frame.between.length + frame.after.length + lists
  return { size, exact: true, headers: {}, body: text(json, ids, frame) }
}

/** Bytes of both lists. A comma follows each element except the last, which the closing bracket follows. */
async function listBytes(json: TokenJson, ids: TokenBuffer, signal?: StopSignal): Promise<number> {
  if (ids.length === 0) return 2
  const pace = new Pace(signal)
  let bytes = 0
  let start = 0
  for (const slice of slices(ids)) {
    if (pace.isOver) await pace.nextTurn()
    bytes += json.measureIds(slice) + json.measureTokens(slice, start)
    start = json.end
  }
  return bytes
}

async function* text(
  json: TokenJson,
  ids: TokenBuffer,
  { before, between, after }: Frame,
): AsyncGenerator<Uint8Array, void, void> {
  const block = pool.take()
  try {
    let at = block.write(before)
    for (const slice of slices(ids)) {
      if (at + MAX_SLICE_BYTES + between.length > BLOCK_BYTES) {
        yield block.subarray(0, at)
        at = 0
      }
      at = json.writeIds(block, at, slice)
    }
    at = closeList(block, at)
    at += block.write(between, at)

    const room = block.subarray(0, BLOCK_BYTES - after.length)
    let start = 0
    for (const slice of slices(ids)) {
      for (let done = 0; ; ) {
        at = json.writeTokens(room, at, slice.subarray(done), start)
        start = json.end
        done += json.written
        if (done === slice.length) break
        yield block.subarray(0, at)
        at = 0
      }
    }
    at = closeList(block, at)
    at += block.write(after, at)
    yield block.subarray(0, at)
  } finally {
    pool.give(block)
  }
}

function* slices(ids: TokenBuffer): Generator<Int32Array, void, void> {
  for (const block of ids.blocks()) {
    for (let start = 0; start < block.length; start += TOKEN_SLICE)
      yield block.subarray(start, start + TOKEN_SLICE)
  }
}

/** Puts the bracket in the place of the last comma; returns where the list ends. */
function closeList(block: Uint8Array, at: number): number {
  const end = block[at - 1] === COMMA ? at - 1 : at
  block[end] = CLOSE
  return end + 1
}
