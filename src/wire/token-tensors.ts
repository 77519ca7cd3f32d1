import type { Answer } from '../first-layer/answer.js'
import type { Blocks } from '../first-layer/steps.js'
import type { NamedTensor } from '../first-layer/tensors/named-tensor.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../first-layer/tokens/vocabulary.js'
import { BlockPool } from './block-pool.js'

const BLOCK_IDS = 1 << 14

const pool = new BlockPool(BLOCK_IDS * 4, 16)

/**
 * The answer of `/v1/tokenize` as tensors: `input_ids` [n] and `token_starts` [n + 1]; where the ids come with ranges,
 * `token_ranges` [n, 2] in its place.
 *
 * @param model whose tokenizer it is; absent where the encoding was asked for by its own name
 */
export function tokenizedTensors(tokenizer: Tokenizer, ids: TokenBuffer, model?: string): Answer {
  return {
    model,
    counts: { numTokens: ids.length, numCharacters: ids.characters },
    tensors: [inputIds(ids), ids.ranges ? tokenRanges(ids.ranges) : tokenStarts(tokenizer, ids)],
    metadata: model === undefined && tokenizer.encoding !== undefined ? { encoding: tokenizer.encoding } : {},
  }
}

function inputIds(ids: TokenBuffer): NamedTensor {
  return { name: 'input_ids', dtype: 'int32', shape: [ids.length], blocks: () => idBlocks(ids) }
}

/** Where in the text's UTF-8 each token begins and ends. */
function tokenRanges(ranges: TokenBuffer): NamedTensor {
  const shape = [ranges.length / 2, 2]
  return { name: 'token_ranges', dtype: 'int32', shape, blocks: () => idBlocks(ranges) }
}

/** Where in the text's UTF-8 each token begins, and where the last one ends: [15496, 11] in `gpt2` → [0, 5, 6]. */
function tokenStarts({ vocabulary }: Tokenizer, ids: TokenBuffer): NamedTensor {
  if (vocabulary === undefined) throw new RangeError('ids of a tokenizer without bytes need ranges')
  const shape = [ids.length + 1]
  return { name: 'token_starts', dtype: 'int32', shape, blocks: () => startBlocks(vocabulary, ids) }
}

function* idBlocks(ids: TokenBuffer): Blocks {
  for (const block of ids.blocks()) yield bytesOf(block)
}

function* startBlocks({ offsets }: Vocabulary, ids: TokenBuffer): Blocks {
  const block = pool.take()
  const starts = new Int32Array(block.buffer, block.byteOffset, BLOCK_IDS)
  try {
    let start = 0
    let count = 0
    starts[count++] = start
    for (const part of ids.blocks()) {
      for (const id of part) {
        if (count === BLOCK_IDS) {
          yield block
          count = 0
        }
        start += offsets[id + 1] - offsets[id]
        starts[count++] = start
      }
    }
    yield block.subarray(0, 4 * count)
  } finally {
    pool.give(block)
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
