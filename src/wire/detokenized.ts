import type { Ids } from '../tokens/ids.js'
import type { Vocabulary } from '../tokens/vocabulary.js'
import { Pace, type StopSignal } from '../turn.js'
import { BlockPool } from './block-pool.js'
import type { EncodedAnswer } from './formats/format.js'
import { TEXT_PART_BYTES, type TextPart, textParts } from './text-parts.js'

/** From here on a block is full. */
const FULL_BYTES = 1 << 16
/** Most bytes of a byte of text in a JSON string: `\u0000`. One that is not UTF-8 takes three. */
const MAX_ESCAPE_BYTES = 6
const BEFORE = '{"text":"'
const MAX_AFTER_BYTES = '","lossy":false}'.length

const pool = new BlockPool(FULL_BYTES + MAX_ESCAPE_BYTES * TEXT_PART_BYTES + MAX_AFTER_BYTES, 4)

/**
 * The answer of `/v1/detokenize` as JSON text that flows: a long text is made twice, once to know its size, and never
 * held as a whole. [15496, 11, 995, 0] in `gpt2` → `{"text":"Hello, world!","lossy":false}`.
 *
 * @param bytes how many bytes the ids have in all
 */
export async function detokenizedJson(
  vocabulary: Vocabulary,
  ids: Ids,
  bytes: number,
  signal?: StopSignal,
): Promise<EncodedAnswer> {
  const pace = new Pace(signal)
  let textBytes = 0
  let lossy = false
  const parts = () => textParts(vocabulary, ids, bytes)
  const kept = bytes <= TEXT_PART_BYTES ? [...parts()] : undefined // one part, as most texts are
  for (const part of kept ?? parts()) {
    textBytes += Buffer.byteLength(escaped(part.text))
    lossy ||= part.lossy
    if (pace.isOver) await pace.nextTurn()
  }
  const after = `","lossy":${lossy}}`
  const size = BEFORE.length + textBytes + after.length
  return { size, exact: true, headers: {}, body: text(kept ?? parts(), after) }
}

async function* text(parts: Iterable<TextPart>, after: string): AsyncGenerator<Uint8Array, void, void> {
  const block = pool.take()
  try {
    let at = block.write(BEFORE)
    for (const part of parts) {
      if (at >= FULL_BYTES) {
        yield block.subarray(0, at)
        at = 0
      }
      at += block.write(escaped(part.text), at)
    }
    at += block.write(after, at)
    yield block.subarray(0, at)
  } finally {
    pool.give(block)
  }
}

/** A string as JSON has it, without its quotes. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
