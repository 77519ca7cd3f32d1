import { z } from 'zod'
import { cardSchema } from '../../first-layer/cards/card-json.js'
import { MODEL_STATES } from '../../models/entry.js'
import {
  answeredModel,
  component,
  count,
  flag,
  object,
  text,
  unionComponent,
} from '../../service/document/components.js'
import { learningState } from '../../service/document/learning-state.js'
import { answer, GONE, inHead, type Operations } from '../../service/document/operation.js'
import { ERROR_CODES } from '../../service/features.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Models'

export const parameters = {
  if_match: inHead(
    'If-Match',
    'ETags of the tables that may be exchanged, or `*`: others are left as they are, with 412.',
    { errors: ['precondition_failed'] },
  ),
}

component('ModelCard', cardSchema)

const modelError = object('ModelError', { code: z.enum(ERROR_CODES), message: z.string() })

const tables = unionComponent(
  'ModelTables',
  z.discriminatedUnion('source', [
    z.strictObject({
      source: z.literal('seed'),
      seed: z.union([z.int(), z.string()]).describe('`torch.manual_seed`; a string beyond 2^53 − 1.'),
      init_std: z.number().describe('Standard deviation of the tables.'),
    }),
    z.strictObject({
      source: z.literal('folder'),
      files: z
        .array(object('ModelTablesFile', { name: z.string(), bytes: z.int().min(0) }))
        .describe('The files that the tables are read from, with their sizes.'),
    }),
    z.strictObject({
      source: z.literal('upload'),
      sha256: text('Of the file, in hex; null where its tables are gone.').nullable(),
    }),
    z.strictObject({ source: z.literal('learned').describe('Steps of an optimizer.') }),
  ]),
  'Where the numbers of the tables come from.',
)

/** Limits of the service, as a model shows them. */
const limits = object('ModelLimits', {
  max_body_bytes: count('Largest text/plain body, unpacked.'),
  max_json_body_bytes: count('Largest JSON body, unpacked.'),
  max_json_response_bytes: count('Largest JSON answer; a float counts 14, an id 7.'),
  max_response_bytes: count('Largest binary answer.'),
  max_documents: count('Most documents of one request.'),
})

/** `GET /v1/models/{model}`. */
export const modelAnswer = object('Model', {
  id: z.string(),
  object: z.literal('model'),
  created: count('When the tables were made, in seconds since 1970.'),
  owned_by: z.string(),
  state: z.enum(MODEL_STATES).describe('Whether its tables are there.'),
  model_version: text('Which set of tables it has, "1" and up; null where they are not there.').nullable(),
  model_type: text('What the model calls itself; `seed` where no checkpoint says.'),
  encoding: text('Name of the encoding; null where a folder brings its tokenizer.').nullable(),
  tokenizer: object('ModelTokenizer', {
    type: z
      .enum(['tiktoken', 'byte_pair', 'wordpiece', 'foreign', 'none'])
      .describe('Kind of the tokenizer.'),
    available: flag('Whether it takes text.'),
    reason: text('Why it takes none.').optional(),
  }),
  tokenizer_sha256: text(
    'Of the folder’s tokenizer files: equal where their bytes are, so that replicas can be compared. Null for an encoding, which its name tells.',
  )
    .nullable()
    .optional(),
  revision: text('The commit at which the folder was downloaded; null where that is not known.')
    .nullable()
    .optional(),
  special_tokens: z.record(z.string(), z.int().min(0)).describe('Literals with ids of their own.'),
  pad_token_id: count('Id in padded slots where a request names none.').nullable(),
  vocab_size: count('V: rows of the token table. Every id is below it.'),
  embedding_dim: count('C: width of a row, in elements; null where there are no tables.').nullable(),
  hidden_size: count('Width of `input_embeddings`, in elements; null as `embedding_dim`.').nullable(),
  max_position_embeddings: count(
    'P: positions of the learned position table, or those that the model was trained for.',
  ).nullable(),
  architecture: text('What is done to the token rows where a request does not say.'),
  position_embedding: text('Type of the position scheme where a request does not say.'),
  dtype: z
    .enum(['float32', 'float16', 'bfloat16'])
    .nullable()
    .describe('Element type of the tables; null as `embedding_dim`.'),
  table_bytes: count('Bytes of the tables; of those that it would have where it has none.'),
  disk_table_bytes: count('Bytes of the tables whose rows are read from their files.'),
  hidden_streams: count('S: streams that the first block takes; 1 for most models.'),
  memory: object('ModelMemory', {
    per_layer: object('ModelPerLayer', {
      layers: count('L'),
      width: count('D: width of a layer’s row, in elements.'),
      rows: count('Rows of the table.'),
    }).optional(),
    ngrams: z
      .array(
        object('ModelNgrams', {
          layer: count('The layer that takes the rows, from 1; 0: they are added before the first.'),
          heads: count('Rows of a token.'),
          width: count('Width of a row, in elements.'),
          rows: count('Rows of the table.'),
          sizes: z.array(z.int()).describe('Rows of each head.'),
          offsets: z.array(z.int()).describe('The first row of each head.'),
          multipliers: z
            .array(z.union([z.int(), z.string()]))
            .describe('Of the hashes; a string beyond 2^53 − 1.'),
          context: count('Ids before a token that its rows depend on.'),
        }),
      )
      .optional(),
  })
    .nullable()
    .describe('Rows that it looks up beside a token’s own, from files; null for most models.'),
  pooling: object('ModelPooling', {
    type: z.literal('mean').describe('What makes one row of a text’s rows.'),
    flavour: z.enum(['model2vec', 'sentence_transformers']).describe('The library that it computes as.'),
    normalize: flag('Whether embeddings have the length 1.'),
    dimensions: count('Numbers of an embedding.'),
    max_length: count('Most tokens of a text; null: all.').nullable(),
    drops_unknown: flag('Whether unknown tokens are left out.'),
    accept_ids: flag('Whether `/v1/embeddings` takes ids too, not texts alone.'),
  })
    .nullable()
    .describe('How a static model makes one embedding of a text; null for any other.'),
  tables: tables
    .nullable()
    .describe('Where the numbers of the tables come from; null for a model that serves tokens alone.'),
  tables_unavailable: modelError
    .optional()
    .describe('Why a model has no tables and never will: it serves tokens alone.'),
  learning: learningState.nullable().describe('How far it has learned; null where it has no optimizer.'),
  error: modelError.nullable().describe('Why it failed; null where it did not.'),
  backend: text('TensorFlow.js backend that embeds.'),
  backend_version: text('TensorFlow.js’s version for `cpu`, TensorFlow’s own for `tensorflow`.'),
  backend_reason: text('Why this backend, and not the other.'),
  limits,
})

const modelsAnswer = object('ModelList', {
  object: z.literal('list'),
  data: z.array(modelAnswer).describe('The models.'),
})

const exchangedAnswer = object('TablesExchanged', {
  ...answeredModel,
  model_version: text('Its version from now on.'),
})

export const operations: Operations = {
  listModels: {
    summary: 'The models',
    description: 'Every model with its sizes, its tables’ origin and the limits of the service.',
    answers: { 200: answer(modelsAnswer, 'The models.') },
    errors: ['loading'],
  },
  getModel: {
    summary: 'One model',
    description: 'A model with its sizes, its tables’ origin and the limits of the service.',
    answers: { 200: answer(modelAnswer, 'The model.') },
    errors: ['loading'],
  },
  putModel: {
    summary: 'Make a model',
    description:
      'From a card as JSON, whose tables a seed draws, or from tables as safetensors: `wte.weight` [V, C], `wpe.weight` [P, C], `wtt.weight` [types, C], `norm.weight` and `norm.bias` [C], `position.NAME`, all of one type, F32, F16 or BF16. In a file, `encoding`, `architecture` and `position_embedding` stand as strings in `__metadata__`.',
    answers: {
      200: answer(modelAnswer, 'The same model was there already.'),
      201: answer(modelAnswer, 'The model is made.'),
    },
    errors: ['model_exists', 'shape_mismatch', 'insufficient_memory'],
  },
  deleteModel: {
    summary: 'Delete a model',
    description: 'One that a request has made. What runs on it finishes.',
    answers: GONE,
    errors: ['model_in_use'],
  },
  loadModel: {
    summary: 'Load a model',
    description:
      'Where they are not there, reads the folder anew, its tokenizer and templates too, and makes the tables. So does a request that loads a model again after an eviction, where the folder has changed since it was read.',
    answers: { 200: answer(modelAnswer, 'The model with its tables.') },
    errors: ['model_failed', 'insufficient_memory'],
  },
  unloadModel: {
    summary: 'Unload a model',
    description:
      'Lets its tables go; those that were uploaded, or learned, are gone for good. Not while it learns.',
    answers: { 200: answer(modelAnswer, 'The model without tables.') },
    errors: ['optimizer_exists'],
  },
  getTables: {
    summary: 'Read a model’s tables',
    description: 'Every table as one safetensors file, which `PUT` takes again.',
    head: ['if_none_match'],
    answers: {
      200: { description: 'The tables.', headers: ['Content-Length', 'ETag', 'X-Model-Version'] },
      304: { description: 'The caller has them.', headers: ['ETag', 'X-Model-Version'] },
    },
    errors: ['response_too_large', 'model_failed', 'model_loading', 'insufficient_memory'],
  },
  putTables: {
    summary: 'Exchange a model’s tables',
    description:
      'One table or more, in the shapes that they have. All take their place at once when the last byte has come; requests that run finish on the tables that they began with.',
    head: ['if_match'],
    answers: { 200: answer(exchangedAnswer, 'The tables are exchanged.', ['X-Model-Version']) },
    errors: [['shape_mismatch', 'optimizer_exists', 'model_failed', 'model_loading', 'insufficient_memory']],
  },
}
