import type { Model } from '../../first-layer/embeddings/model.js'
import { base64, base64Length } from '../../first-layer/formats/base64.js'
import type { Encoded } from '../../first-layer/formats/formats.js'
import { jsonAnswer, type Part, part } from '../../first-layer/formats/json-parts.js'
import { nestedArrays, numbersBytes } from '../../first-layer/formats/number-text.js'
import { byteLength, type Dtype, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { torchFile, torchFileBytes } from '../../first-layer/tensors/torch/torch-file.js'
import type { Documents } from '../../first-layer/windows/documents.js'

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
  { spec, version }: Pick<Model, 'spec' | 'version'>,
  documents: Documents,
  fields: readonly PromptTensors[],
): Encoded {
  const { count } = documents
  const lengths = Array.from({ length: count }, (_, d) => documents.length(d))
  return jsonAnswer({
    ...{ model: spec.id, model_version: version },
    ...Object.fromEntries(fields.map((field) => [field.name, tensorList(field, documents)])),
    num_tokens: lengths,
    shape: lengths.map((length) => [length, spec.embeddingDim]),
  })
}

/** Of torch files in base64, of which each has some bytes of its own, or of numbers. */
function tensorList(field: PromptTensors, { count, totalTokens }: Documents): Part {
  const { as, dtype, each } = field
  const all = { dtype, shape: [totalTokens, ...each] }
  const ofFile = base64Length(torchFileBytes({ dtype, shape: [0, ...each] }))
  const bytes =
    as === 'numbers' ? numbersBytes(all) + 2 * count : base64Length(byteLength(all)) + count * ofFile
  const textOf = (tensor: NamedTensor) =>
    (as === 'torch' ? base64({ blocks: () => torchFile(tensor) }, 0) : nestedArrays(tensor)).text()
  // Each document's tensor is made when its text is next: of tens of thousands at once a thread would be held for seconds.
  return part(bytes, async function* () {
    for (let d = 0; d < count; d++) {
      yield Buffer.from(d === 0 ? '[' : ',')
      yield* textOf(field.tensor(d))
    }
    yield Buffer.from(']')
  })
}
