import type { Answer } from '../../first-layer/answer.js'
import { elementCount, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import type { TextDocuments } from '../../first-layer/windows/documents.js'
import { Places } from './tokenized.js'

/** Writes the numbers from `from` on; called in their order. */
type Fill = (out: Int32Array, from: number) => void

/**
 * The answer of `/v1/tokenize` as tensors: `input_ids` [n] and `token_starts` [n + 1], where in the text's UTF-8 each
 * token begins, and where the last one ends: [15496, 11] in `gpt2` → [0, 5, 6]. Where the ids come with ranges, or for a
 * list of d texts, `token_ranges` [n, 2] in its place, each within its own text; for a list also `document_starts`
 * [d + 1]: texts of 4 and 2 tokens → [0, 4, 6].
 *
 * @param model whose tokenizer it is; absent where the encoding was asked for by its own name
 * @param list the texts whose ids they are; absent for a single text, not given as a list
 */
export function tokenizedTensors(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  model?: string,
  list?: TextDocuments,
  mask?: Uint8Array,
): Answer {
  const offsets = tokenizer.vocabulary?.offsets
  const places = () => {
    const all = new Places(ids, list)
    return (place: number) => {
      const id = ids.at(place)
      return all.next(offsets === undefined ? 0 : offsets[id + 1] - offsets[id])
    }
  }
  const ranges = (): Fill => {
    const next = places()
    return (out, from) => {
      for (let i = 0; i < out.length; i += 2) {
        const { start, end } = next((from + i) / 2)
        out[i] = start
        out[i + 1] = end
      }
    }
  }
  const starts = (): Fill => {
    const next = places()
    return (out, from) => {
      for (let i = 0; i < out.length; i++) out[i] = from + i === 0 ? 0 : next(from + i - 1).end
    }
  }
  const trained =
    (mask: Uint8Array): Fill =>
    (out, from) =>
      out.set(mask.subarray(from, from + out.length))
  const tensors = [
    numbers('input_ids', [ids.length], () => (out, from) => ids.copyTo(out, from, out.length)),
    ...(mask ? [numbers('loss_mask', [mask.length], () => trained(mask))] : []),
    ids.ranges === undefined && list === undefined
      ? numbers('token_starts', [ids.length + 1], starts)
      : numbers('token_ranges', [ids.length, 2], ranges),
  ]
  if (list !== undefined) {
    const fill: Fill = (out, from) => {
      for (let i = 0; i < out.length; i++) out[i] = list.start(from + i)
    }
    tensors.push(numbers('document_starts', [list.count + 1], () => fill))
  }
  return {
    model,
    counts: { numTokens: ids.length, numCharacters: ids.characters },
    tensors,
    metadata: model === undefined && tokenizer.encoding !== undefined ? { encoding: tokenizer.encoding } : {},
  }
}

const BLOCK_IDS = 1 << 14

/** A tensor of int32, written block by block. @param filler makes what fills them, for each reader another one */
function numbers(name: string, shape: readonly number[], filler: () => Fill): NamedTensor {
  const length = elementCount(shape)
  function* blocks(): Generator<Uint8Array, void, void> {
    const fill = filler()
    for (let from = 0; from < length; from += BLOCK_IDS) {
      const out = new Int32Array(Math.min(BLOCK_IDS, length - from))
      fill(out, from)
      yield new Uint8Array(out.buffer)
    }
  }
  return { name, dtype: 'int32', shape, blocks }
}
