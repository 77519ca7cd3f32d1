import type { Answer } from '../../first-layer/answer.js'
import type { Blocks } from '../../first-layer/steps.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../../first-layer/tokens/vocabulary.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { BlockPool } from '../../service/answer/number-text.js'

const BLOCK_IDS = 1 << 14

const pool = new BlockPool(BLOCK_IDS * 4, 16)

/**
 * The answer of `/v1/tokenize` as tensors: `input_ids` [n] and `token_starts` [n + 1]; where the ids come with ranges,
 * `token_ranges` [n, 2] in its place. For a list of d texts always `token_ranges`, each within its own text, and
 * `document_starts` [d + 1].
 *
 * @param model whose tokenizer it is; absent where the encoding was asked for by its own name
 * @param list the texts whose ids they are; absent for a single text, not given as a list
 */
export function tokenizedTensors(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  model?: string,
  list?: Documents,
): Answer {
  const places = ids.ranges
    ? storedRanges(ids.ranges)
    : list === undefined
      ? tokenStarts(tokenizer, ids)
      : ownRanges(tokenizer, list)
  return {
    model,
    counts: { numTokens: ids.length, numCharacters: ids.characters },
    tensors: [inputIds(ids), places, ...(list === undefined ? [] : [documentStarts(list)])],
    metadata: model === undefined && tokenizer.encoding !== undefined ? { encoding: tokenizer.encoding } : {},
  }
}

function inputIds(ids: TokenBuffer): NamedTensor {
  return { name: 'input_ids', dtype: 'int32', shape: [ids.length], blocks: () => idBlocks(ids) }
}

/** Where in its text's UTF-8 each token begins and ends. */
function tokenRanges(count: number, blocks: () => Blocks): NamedTensor {
  return { name: 'token_ranges', dtype: 'int32', shape: [count, 2], blocks }
}

function storedRanges(ranges: TokenBuffer): NamedTensor {
  return tokenRanges(ranges.length / 2, () => idBlocks(ranges))
}

/** The ranges of tokens whose bytes, one after the other, are their text. */
function ownRanges(tokenizer: Tokenizer, list: Documents): NamedTensor {
  const offsets = offsetsOf(tokenizer)
  const fill = () => {
    let [d, end, place] = [0, list.start(1), 0]
    return (out: Int32Array, from: number) => {
      const first = from >>> 1
      const count = out.length >>> 1
      list.ids.copyTo(out, first, count, count) // each range is written where no id is left
      for (let i = 0; i < count; ) {
        for (; first + i === end; place = 0) end = list.start(++d + 1)
        for (const stop = Math.min(count, end - first); i < stop; i++) {
          const id = out[count + i]!
          out[2 * i] = place
          place += offsets[id + 1]! - offsets[id]!
          out[2 * i + 1] = place
        }
      }
    }
  }
  return tokenRanges(list.totalTokens, () => numberBlocks(2 * list.totalTokens, fill()))
}

/** Where in the text's UTF-8 each token begins, and where the last one ends: [15496, 11] in `gpt2` → [0, 5, 6]. */
function tokenStarts(tokenizer: Tokenizer, ids: TokenBuffer): NamedTensor {
  const offsets = offsetsOf(tokenizer)
  const length = ids.length + 1
  const fill = () => {
    let start = 0
    return (out: Int32Array, from: number) => {
      const first = from === 0 ? 1 : 0
      out[0] = 0
      ids.copyTo(out, from + first - 1, out.length - first, first)
      for (let i = first; i < out.length; i++) {
        const id = out[i]!
        start += offsets[id + 1]! - offsets[id]!
        out[i] = start
      }
    }
  }
  return { name: 'token_starts', dtype: 'int32', shape: [length], blocks: () => numberBlocks(length, fill()) }
}

/** Where in the ids each text begins, and where the last one ends: texts of 4 and 2 tokens → [0, 4, 6]. */
function documentStarts(list: Documents): NamedTensor {
  const length = list.count + 1
  const fill = (out: Int32Array, from: number) => {
    for (let i = 0; i < out.length; i++) out[i] = list.start(from + i)
  }
  return {
    name: 'document_starts',
    dtype: 'int32',
    shape: [length],
    blocks: () => numberBlocks(length, fill),
  }
}

/** Where the bytes of each token begin in those of all. */
function offsetsOf({ vocabulary }: Tokenizer): Vocabulary['offsets'] {
  if (vocabulary === undefined) throw new RangeError('ids of a tokenizer without bytes need ranges')
  return vocabulary.offsets
}

function* idBlocks(ids: TokenBuffer): Blocks {
  for (const block of ids.blocks()) yield bytesOf(block)
}

/** So many numbers, block by block. @param fill writes the numbers from `from` on; called in their order */
function* numberBlocks(length: number, fill: (out: Int32Array, from: number) => void): Blocks {
  const block = pool.take()
  const numbers = new Int32Array(block.buffer, block.byteOffset, BLOCK_IDS)
  try {
    for (let from = 0; from < length; from += BLOCK_IDS) {
      const out = numbers.subarray(0, length - from)
      fill(out, from)
      yield bytesOf(out)
    }
  } finally {
    pool.give(block)
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
