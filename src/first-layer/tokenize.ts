import type { Answer } from './answer.js'
import { textDocuments } from './documents.js'
import { idTensor } from './embeddings/computed-tensor.js'
import { blocksWithoutModel } from './embeddings/workspace.js'
import type { GivenTexts } from './given.js'
import { ALONE, type Edge } from './running/edge.js'
import type { NamedTensor } from './tensors/named-tensor.js'
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
  /** A tensor of the places of tokens, one after the other: each reader begins with the first. */
  const placesAs = (name: string, shape: readonly number[], write: WritePlaces) => {
    let places = new Places(ids, list)
    const next = (index: number) => {
      const id = ids.at(index)
      return places.next(offsets === undefined ? 0 : offsets[id + 1] - offsets[id])
    }
    return numbers(name, shape, (out, from) => {
      if (from === 0) places = new Places(ids, list)
      write(out, from, next)
    })
  }
  const tensors = [numbers('input_ids', [ids.length], (out, from) => ids.copyTo(out, from, out.length))]
  if (mask !== undefined)
    tensors.push(
      numbers('loss_mask', [mask.length], (out, from) => out.set(mask.subarray(from, from + out.length))),
    )
  if (ids.ranges === undefined && list === undefined)
    tensors.push(placesAs('token_starts', [ids.length + 1], writeStarts))
  else tensors.push(placesAs('token_ranges', [ids.length, 2], writeRanges))
  if (list !== undefined) {
    const fill: Fill = (out, from) => {
      for (let i = 0; i < out.length; i++) out[i] = list.start(from + i)
    }
    tensors.push(numbers('document_starts', [list.count + 1], fill))
  }
  return {
    model,
    counts: { numTokens: ids.length, numCharacters: ids.characters },
    tensors,
    metadata: model === undefined && tokenizer.encoding !== undefined ? { encoding: tokenizer.encoding } : {},
  }
}

/** Writes numbers from `from` on, with the places of the next tokens; called in their order. */
type WritePlaces = (out: Int32Array, from: number, next: (index: number) => Places) => void

const writeRanges: WritePlaces = (out, from, next) => {
  for (let i = 0; i < out.length; i += 2) {
    const { start, end } = next((from + i) / 2)
    out[i] = start
    out[i + 1] = end
  }
}

const writeStarts: WritePlaces = (out, from, next) => {
  for (let i = 0; i < out.length; i++) out[i] = from + i === 0 ? 0 : next(from + i - 1).end
}

function numbers(name: string, shape: readonly number[], fill: Fill): NamedTensor {
  return idTensor({ name, shape, fill }, 'int32', blocksWithoutModel)
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
