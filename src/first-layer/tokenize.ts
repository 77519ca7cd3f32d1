import type { Answer } from './answer.js'
import { textDocuments } from './documents.js'
import type { GivenTexts } from './given.js'
import { ALONE, type Edge } from './running/edge.js'
import { elementCount, type NamedTensor } from './tensors/named-tensor.js'
import type { TokenBuffer } from './tokens/token-buffer.js'
import { type AskedTokens, streamOptions } from './tokens/tokenize.js'
import type { Tokenizer } from './tokens/tokenizer.js'
import type { Documents } from './windows/documents.js'

interface TokenizeOptions extends AskedTokens {
  /** Whether the ids come with their ranges in the text, where tokens are not its bytes. */
  readonly ranges?: boolean
}

/**
 * `POST /v1/tokenize` as a function: a text, a list of texts, or the chunks of one text in UTF-8 → their ids, each text a document:
 * `Hello, world!` in `gpt2` → [15496, 11, 995, 0]. A text must be Unicode; that is checked elsewhere.
 *
 * @throws InletError `invalid_request` for a special token that the tokenizer does not have, `tokenizer_unavailable`
 */
export function tokenize(
  tokenizer: Tokenizer,
  texts: GivenTexts | AsyncIterable<Uint8Array>,
  { ranges, ...asked }: TokenizeOptions,
  edge: Edge = ALONE,
): Promise<Documents> {
  return textDocuments(tokenizer, texts, { ...streamOptions(tokenizer, asked), ranges }, 'text', edge)
}

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
  list?: Documents,
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

/** The places of tokens in their texts: by their ranges, or one after the other. */
export class Places {
  start = 0
  end = 0
  text = 0
  #index = 0
  #textEnd: number

  constructor(
    private readonly ids: TokenBuffer,
    private readonly list: Documents | undefined,
  ) {
    this.#textEnd = list?.start(1) ?? ids.length
  }

  /** The next token's place. @param length its own bytes */
  next(length: number): this {
    const { list, ids } = this
    for (; list !== undefined && this.#index === this.#textEnd; this.end = 0)
      this.#textEnd = list.start(++this.text + 1)
    this.start = ids.ranges?.at(2 * this.#index) ?? this.end
    this.end = ids.ranges?.at(2 * this.#index + 1) ?? this.start + length
    this.#index++
    return this
  }
}
