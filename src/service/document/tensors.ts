import { z } from 'zod'
import { ALL_DATASET_OUTPUTS } from '../../first-layer/datasets/dataset-outputs.js'
import { positionSchemes } from '../../first-layer/embeddings/positions/registry.js'
import { LOOKUP_OUTPUTS } from '../../first-layer/lookups/lookup-card.js'
import { component, object, text } from './components.js'
import { answer, type GoodAnswer } from './operation.js'

type Docs = Readonly<Record<string, readonly [shape: string, meaning: string]>>

/** The tensors of the position schemes, with the schemes that give each. */
function schemeOutputs(): Docs {
  const docs: Record<string, readonly [string, string]> = {}
  for (const { type, tensorDocs } of positionSchemes) {
    for (const [name, [shape, meaning]] of Object.entries(tensorDocs)) {
      const [, before] = docs[name] ?? []
      docs[name] = [shape, before === undefined ? `\`${type}\`: ${meaning}` : `\`${type}\`, ${before}`]
    }
  }
  return docs
}

/** Name in `outputs` → the tensor's axes, in the letters of the document's description, and a text. */
export const OUTPUT_DOCS: Docs = {
  input_embeddings: [
    '[B, T, C]',
    'What the first block takes: token rows, with the rows of an additive scheme.',
  ],
  token_embeddings: ['[B, T, C]', 'The plain rows of `wte.weight`.'],
  inputs_embeds: [
    '[B, T, C]',
    'What Hugging Face’s `inputs_embeds` takes: the rows, scaled where the embedding module scales (Gemma).',
  ],
  input_ids: ['[B, T]', 'Token ids of each window.'],
  target_ids: ['[B, T]', 'The next token of each; −100 where there is none.'],
  attention_mask: ['[B, T]', '1 for a token, 0 for padding.'],
  position_ids: ['[B, T]', '`position_offset` … + T − 1; of packed windows anew with each segment.'],
  document_ids: [
    '[B]',
    'Index of the window’s document in the request, or in its dataset; of packed windows the first one.',
  ],
  window_starts: ['[B]', 'Index of the window’s first token in its document.'],
  segment_ids: ['[B, T]', 'Datasets: 0, 1, … for each stretch of one document in its window, −1 on padding.'],
  cu_seq_lens: [
    '[S + 1]',
    'Datasets: where the S segments begin in the B·T slots, and the end; the padding of a window is one. Always int32.',
  ],
  hidden_streams: ['[B, T, S, C]', 'The streams that the first block takes, where it takes several.'],
  per_layer_inputs: [
    '[B, T, L, D]',
    'What `per_layer_inputs` of Gemma 3n and 4 takes: a row for each layer.',
  ],
  per_layer_projected: [
    '[B, T, L, D]',
    'What block l of Gemma 3n and 4 takes beside its rows, as `[:, :, l]`.',
  ],
  ngram_ids: ['[B, T, H]', 'Rows of hashed n-grams, each in the table of its layer.'],
  ngram_embeddings: ['[B, T, E]', 'These rows, end to end.'],
  loss_mask: ['[B, T]', 'Datasets: 1 for a token that is trained, 0 for another and on padding.'],
  labels: [
    '[B, T]',
    'Datasets: the token where it is trained and not its segment’s first, else −100: for models that shift by themselves.',
  ],
  dataset_index: ['[B]', 'Mixtures: the member of the window, from 0.'],
  ...schemeOutputs(),
}

// In words: for arrays within arrays, one for each number of axes, few generators make classes that they can read.
const nestedNumbers = component(
  'NestedNumbers',
  z
    .array(z.any())
    .describe(
      'An array for each index of the first axis, and so on; no tensor has more than four axes. Numbers are the shortest decimals that give the float32 value back, or `"Infinity"`, `"-Infinity"`, `"NaN"`.',
    ),
)

const tensor = object('Tensor', {
  dtype: z
    .enum(['int32', 'int64', 'float32', 'float16', 'bfloat16'])
    .describe('Element type. Ids, masks and indices are int32 whatever `dtype` asks for.'),
  shape: z.array(z.int().min(0)).describe('Sizes of the axes.'),
  data: z
    .xor([
      z.string().meta({ contentEncoding: 'base64', description: 'Little-endian bytes, row-major.' }),
      nestedNumbers,
    ])
    .describe('Nested arrays of numbers, or, under `encoding_format` base64, one string.'),
})

const tensors = [...ALL_DATASET_OUTPUTS, ...Object.keys(LOOKUP_OUTPUTS)].map((name) => [
  name,
  tensor.describe(OUTPUT_DOCS[name].join(' ')).optional(),
])

export const tensorFields = {
  metadata: component(
    'TensorMetadata',
    z
      .record(z.string(), z.string())
      .describe('What a position scheme says of its tensors, as the `layout` of `rope`.'),
  ).optional(),
  outputs: component(
    'Tensors',
    z.strictObject(Object.fromEntries(tensors)).describe('The tensors asked for, by name.'),
  ),
}

export const answeredBy = {
  model: text('Id of the model.'),
  model_version: text('Which set of the model’s tables answered.'),
}

export function tensorAnswer(schema: z.ZodType, headers: readonly string[] = []): GoodAnswer {
  return answer(schema, 'The tensors asked for. npy and octet-stream carry exactly one.', [
    ...headers,
    ...['Content-Length', 'X-Tensor-Name', 'X-Tensor-Dtype', 'X-Tensor-Shape'],
  ])
}
