import { byteLength, type Dtype, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { torchFile, torchFileBytes } from '../../first-layer/tensors/torch/torch-file.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { base64Length, base64Text } from '../../service/answer/base64.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import {
  bytesAround,
  joined,
  listOf,
  PART,
  type Part,
  sliced,
  textsAround,
  withParts,
} from '../../service/answer/json-parts.js'
import { nestedArrayText, numbersBytes } from '../../service/answer/number-text.js'

export interface PromptEmbedsFrame {
  readonly model: string
  readonly modelVersion: string
  readonly documents: Documents
  readonly dimensions: number
}

/** A field of the answer: a tensor for each document. */
export interface PromptTensors {
  readonly name: string
  readonly dtype: Dtype
  /** The shape of a token's part. */
  readonly each: readonly number[]
  /** A torch file in base64 for each document, or nested arrays. */
  readonly as: 'torch' | 'numbers'
  /** The tensor [T, …] of document d. */
  tensor(d: number): NamedTensor
}

/**
 * The answer of `/v1/prompt-embeds`, whose rows are made as it is sent: `{"model":"llama","model_version":"1",
 * "prompt_embeds":["UEsDB…"],"num_tokens":[3],"shape":[[3,4096]]}`; with numbers, `"input_embeds":[[[0.1,…],…]]`.
 */
export function promptEmbedsJson(
  { model, modelVersion, documents, dimensions }: PromptEmbedsFrame,
  fields: readonly PromptTensors[],
): EncodedAnswer {
  const { count, totalTokens } = documents
  const tensors = Object.fromEntries(fields.map(({ name }) => [name, PART]))
  const texts = textsAround({ model, model_version: modelVersion, ...tensors, num_tokens: PART, shape: PART })
  const parts = [
    ...fields.map((field) => tensorList(field, count)),
    listOf(sliced(count, (d) => documents.length(d))),
    listOf(sliced(count, (d) => [documents.length(d), dimensions])),
  ]
  const ofFields = fields.reduce((sum, field) => sum + fieldBytes(field, count, totalTokens), 0)
  const size = bytesAround(texts) + ofFields + COUNTS_BYTES * count
  return { size, exact: false, headers: {}, body: joined(withParts(texts, parts)) }
}

/** Bytes that `size` counts for a document's number of tokens and shape. */
const COUNTS_BYTES = 32

/** Bytes of a field: the base64 of files, of which each has some bytes of its own, or numbers. */
function fieldBytes({ as, dtype, each }: PromptTensors, count: number, tokens: number): number {
  const all = { dtype, shape: [tokens, ...each] }
  if (as === 'numbers') return numbersBytes(all) + 2 * count
  return base64Length(byteLength(all)) + count * base64Length(torchFileBytes({ dtype, shape: [0, ...each] }))
}

function tensorList(field: PromptTensors, count: number): Part {
  return function* (before) {
    for (let d = 0; d < count; d++) {
      const start = d === 0 ? `${before}[` : ','
      const tensor = field.tensor(d)
      if (field.as === 'torch') yield* base64Text({ blocks: () => torchFile(tensor) }, start)
      else yield* nestedArrayText(tensor, start)
    }
    yield Buffer.from(']')
  }
}
