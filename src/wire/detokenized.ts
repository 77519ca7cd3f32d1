import { PAUSE, type Steps } from '../first-layer/steps.js'
import type { Ids } from '../first-layer/tokens/ids.js'
import type { Vocabulary } from '../first-layer/tokens/vocabulary.js'
import { BlockPool } from './block-pool.js'
import { escapedText, TEXT_PART_BYTES, type TextPart } from './escaped-text.js'
import { escapedTokens, MAX_ESCAPE_BYTES } from './escaped-tokens.js'
import type { EncodedAnswer } from './formats/format.js'

const BLOCK_BYTES = 1 << 16
const BEFORE = '{"text":"'

const pool = new BlockPool(BLOCK_BYTES, 16)

/**
 * The answer of `/v1/detokenize` as a stream of JSON text. A long text is made twice, the first time only to
 * learn its size, and is never held as a whole. [15496, 11, 995, 0] in `gpt2` → `{"text":"Hello,
 * world!","lossy":false}`.
 *
 * @param bytes how many bytes the ids have in all
 */
export function* detokenizedJson(vocabulary: Vocabulary, ids: Ids, bytes: number): Steps<EncodedAnswer> {
  const tokens = yield* escapedTokens(vocabulary)
  let textBytes = 0
  let lossy = false
  const parts = () => escapedText(tokens, ids, bytes)
  const isShort = MAX_ESCAPE_BYTES * bytes <= TEXT_PART_BYTES
  const kept = isShort ? [...parts()] : undefined // one part, as most texts are
  for (const part of kept ?? parts()) {
    textBytes += part.utf8.length
    lossy ||= part.lossy
    yield PAUSE
  }
  const after = `","lossy":${lossy}}`
  const size = BEFORE.length + textBytes + after.length
  return { size, exact: true, headers: {}, body: text(kept ?? parts(), after) }
}

async function* text(parts: Iterable<TextPart>, after: string): AsyncGenerator<Uint8Array, void, void> {
  const block = pool.take()
  try {
    let at = block.write(BEFORE)
    for (const { utf8 } of parts) {
      if (at > 0 && at + utf8.length + after.length > BLOCK_BYTES) {
        yield block.subarray(0, at)
        at = 0
      }
      if (utf8.length + after.length > BLOCK_BYTES) yield utf8
      else at += utf8.copy(block, at)
    }
    at += block.write(after, at)
    yield block.subarray(0, at)
  } finally {
    pool.give(block)
  }
}
