import { z } from 'zod'
import { learningState } from '../../features/learning/http/answers.js'
import { bodyOf, ERRORS, type ErrorCode, InletError } from '../answer/error-table.js'
import { MODEL_STATES, TOKENIZER_TYPES } from '../models/model-states.js'
import { BYTE_DTYPES } from '../request/fields/byte-dtypes.js'

const count = () => z.int().min(0)

/** Limits of the service, as a model shows them. */
const limits = z.strictObject({
  max_body_bytes: count().describe('Largest text/plain body, unpacked.'),
  max_json_body_bytes: count().describe('Largest JSON body, unpacked.'),
  max_json_response_bytes: count().describe('Largest JSON answer; a float counts 14, an id 7.'),
  max_response_bytes: count().describe('Largest binary answer.'),
  max_documents: count().describe('Most documents of one request.'),
})

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]

/** `GET /v1/models/{model}`. */
export const modelAnswer = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: count().describe('When the tables were made, in seconds since 1970.'),
  owned_by: z.string(),
  state: z.enum(MODEL_STATES).describe('Whether its tables are there.'),
  model_version: z
    .string()
    .nullable()
    .describe('Which set of tables it has, "1" and up; null where they are not there.'),
  model_type: z.string().describe('What the model calls itself; `seed` where no checkpoint says.'),
  encoding: z.string().nullable().describe('Name of the encoding; null where a folder brings its tokenizer.'),
  tokenizer: z.strictObject({
    type: z.enum(TOKENIZER_TYPES).describe('Kind of the tokenizer.'),
    available: z.boolean().describe('Whether it takes text.'),
    reason: z.string().optional().describe('Why it takes none.'),
  }),
  special_tokens: z.record(z.string(), count()).describe('Literals with ids of their own.'),
  pad_token_id: count().nullable().describe('Id in padded slots where a request names none.'),
  vocab_size: count().describe('V: rows of the token table. Every id is below it.'),
  embedding_dim: count()
    .nullable()
    .describe('C: width of a row, in elements; null where there are no tables.'),
  hidden_size: count()
    .nullable()
    .describe('Width of `input_embeddings`, in elements; null as `embedding_dim`.'),
  max_position_embeddings: count()
    .nullable()
    .describe('P: positions of the learned position table, or those that the model was trained for.'),
  architecture: z.string().describe('What is done to the token rows where a request does not say.'),
  position_embedding: z.string().describe('Type of the position scheme where a request does not say.'),
  dtype: z
    .enum(['float32', 'float16', 'bfloat16'])
    .nullable()
    .describe('Element type of the tables; null as `embedding_dim`.'),
  table_bytes: count().describe('Bytes of the tables; of those that it would have where it has none.'),
  pooling: z
    .strictObject({
      type: z.literal('mean').describe('What makes one row of a text’s rows.'),
      flavour: z.enum(['model2vec', 'sentence_transformers']).describe('The library that it computes as.'),
      normalize: z.boolean().describe('Whether embeddings have the length 1.'),
      dimensions: count().describe('Numbers of an embedding.'),
      max_length: count().nullable().describe('Most tokens of a text; null: all.'),
      drops_unknown: z.boolean().describe('Whether unknown tokens are left out.'),
      accept_ids: z.boolean().describe('Whether `/v1/embeddings` takes ids too, not texts alone.'),
    })
    .nullable()
    .describe('How a static model makes one embedding of a text; null for any other.'),
  tables: z
    .discriminatedUnion('source', [
      z.strictObject({
        source: z.literal('seed'),
        seed: z.union([z.int(), z.string()]).describe('`torch.manual_seed`; a string beyond 2^53 − 1.'),
        init_std: z.number().describe('Standard deviation of the tables.'),
      }),
      z.strictObject({
        source: z.literal('folder'),
        files: z
          .array(z.strictObject({ name: z.string(), bytes: count() }))
          .describe('The files that the tables are read from, with their sizes.'),
      }),
      z.strictObject({
        source: z.literal('upload'),
        sha256: z.string().nullable().describe('Of the file, in hex; null where its tables are gone.'),
      }),
      z.strictObject({ source: z.literal('learned').describe('Steps of an optimizer.') }),
    ])
    .describe('Where the numbers of the tables come from.')
    .nullable()
    .describe('Where the numbers of the tables come from; null for a model that serves tokens alone.'),
  tables_unavailable: z
    .strictObject({ code: z.enum(codes), message: z.string() })
    .optional()
    .describe('Why a model has no tables and never will: it serves tokens alone.'),
  learning: learningState.nullable().describe('How far it has learned; null where it has no optimizer.'),
  error: z
    .strictObject({ code: z.enum(codes), message: z.string() })
    .nullable()
    .describe('Why it failed; null where it did not.'),
  backend: z.string().describe('TensorFlow.js backend that embeds.'),
  backend_version: z
    .string()
    .describe('TensorFlow.js’s version for `cpu`, TensorFlow’s own for `tensorflow`.'),
  backend_reason: z.string().describe('Why this backend, and not the other.'),
  limits,
})

/** `PUT /v1/models/{model}/tables`. */
export const exchangedAnswer = z.strictObject({
  model: z.string().describe('Id of the model.'),
  model_version: z.string().describe('Its version from now on.'),
})

/** `GET /v1/models`. */
export const modelsAnswer = z.strictObject({ object: z.literal('list'), data: z.array(modelAnswer) })

/** One token of `POST /v1/tokenize`. */
export const tokenAnswer = z.strictObject({
  id: count(),
  bytes: z.string().describe('The token’s bytes in base64.').meta({ contentEncoding: 'base64' }),
  text: z.string().nullable().describe('The bytes as text; null where they are not whole characters.'),
  start: count().describe('Byte offset of the token in the UTF-8 of its text.'),
  end: count().describe('Byte offset after the token.'),
})

/** One text of a list in the answer of `POST /v1/tokenize`. */
export const tokenizedDocument = z.strictObject({
  start: count().describe('Place of its first token in `input_ids` and `tokens`.'),
  num_tokens: count().describe('Tokens of this text.'),
  num_characters: count().describe('Unicode code points of this text.'),
})

/** `POST /v1/tokenize`. */
export const tokenizeAnswer = z.strictObject({
  input_ids: z
    .array(count())
    .optional()
    .describe('Of a list of texts one text after the other. Absent under `count_only`.'),
  num_tokens: count().describe('Tokens of all texts.'),
  num_characters: count().describe('Unicode code points of all texts.'),
  tokens: z.array(tokenAnswer).optional().describe('Each id with its bytes. Absent under `count_only`.'),
  documents: z
    .array(tokenizedDocument)
    .optional()
    .describe('For a list of texts: where the tokens of each are. Absent for a single string.'),
})

/** `POST /v1/chat/completions/render`, and one prompt of `POST /v1/completions/render`. */
export const renderedPrompt = z.strictObject({
  request_id: z.string(),
  model: z.string(),
  token_ids: z.array(count()).optional().describe('The ids, unless `target` is `sglang`.'),
  input_ids: z.array(count()).optional().describe('The ids, where `target` is `sglang`.'),
  features: z.null().describe('Of texts there are none.'),
})

/** `POST /v1/completions/render`. */
export const renderedPrompts = z.array(renderedPrompt).describe('An object for each prompt, in their order.')

/** `POST /v1/detokenize`. */
export const detokenizeAnswer = z.strictObject({
  text: z.string(),
  lossy: z.boolean().describe('Whether bytes that are not UTF-8 came as U+FFFD.'),
})

/** `POST /v1/models/{model}/neighbors`. */
export const neighborsAnswer = z.strictObject({
  model: z.string().describe('Id of the model.'),
  model_version: z.string().describe('The version of its tables.'),
  neighbors: z
    .array(
      z.array(
        z.strictObject({
          id: count().describe('Row of the table: a token, or a position.'),
          text: z.string().nullable().describe('The token; null where it is no whole text.'),
          score: z.number().describe('Cosine, dot product, or Euclidean distance.'),
        }),
      ),
    )
    .describe('For each query, the nearest first.'),
})

/** `POST /v1/prompt-embeds`. */
export const promptEmbedsAnswer = z.strictObject({
  model: z.string().describe('Id of the model.'),
  model_version: z.string().describe('The version of its tables.'),
  prompt_embeds: z
    .array(z.string().meta({ contentEncoding: 'base64' }))
    .optional()
    .describe('For each document the file of one tensor, as PyTorch saves it.'),
  input_embeds: z
    .array(z.array(z.array(z.number())))
    .optional()
    .describe('For `target` sglang, in its place: for each document an array for each token.'),
  num_tokens: z.array(count()).describe('T of each document.'),
  shape: z.array(z.array(count())).describe('[T, C] of each document.'),
})

/** `POST /v1/embeddings`. */
export const embeddingsAnswer = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      object: z.literal('embedding'),
      index: count().describe('Place of the text in `input`.'),
      embedding: z
        .union([z.array(z.number()), z.string().meta({ contentEncoding: 'base64' })])
        .describe(
          'Numbers of the `output_dtype`; under `encoding_format` base64 one string of their bytes, little-endian.',
        ),
    }),
  ),
  model: z.string().describe('Id of the model.'),
  model_version: z.string().describe('The version of its tables.'),
  output_dtype: z.enum(BYTE_DTYPES).optional().describe('Type of the numbers where they are no float32.'),
  usage: z.strictObject({
    prompt_tokens: count().describe('Tokens of all texts, without those beyond the model’s `max_length`.'),
    total_tokens: count().describe('The same.'),
  }),
})

/** `GET /`, to those who ask for JSON. */
export const routesAnswer = z.strictObject({
  routes: z.array(z.strictObject({ method: z.string(), path: z.string(), summary: z.string() })),
})

/** `GET /health/live` and `GET /health/ready`. */
export const healthAnswer = z.strictObject({ status: z.enum(['live', 'ready']) })

const types = [...new Set(codes.map((code) => bodyOf(new InletError(code, '')).error.type))]

/** Every answer that is not a 200. */
export const errorAnswer = z.strictObject({
  error: z.strictObject({
    type: z.enum(types).describe('Group of the code.'),
    code: z.enum(codes).describe('What went wrong, for programs.'),
    message: z.string().describe('The field, the rule and the value given, for people.'),
    param: z
      .string()
      .nullable()
      .describe(
        'The field as a dotted path (`text.1`, `position_embedding.base`), a header’s name, or null.',
      ),
  }),
})
