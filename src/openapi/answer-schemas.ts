import { ALL_DATASET_OUTPUTS } from '../first-layer/datasets/dataset-outputs.js'
import type { CountName } from '../wire/counts.js'
import { inferenceAnswers } from '../wire/inference/answer-schemas.js'
import {
  detokenizeAnswer,
  embeddingsAnswer,
  errorAnswer,
  exchangedAnswer,
  healthAnswer,
  modelAnswer,
  modelsAnswer,
  neighborsAnswer,
  promptEmbedsAnswer,
  renderedPrompt,
  renderedPrompts,
  routesAnswer,
  tokenAnswer,
  tokenizeAnswer,
  tokenizedDocument,
} from '../wire/schemas/answers.js'
import {
  gradientsAnswer,
  optimizerAnswer,
  savedCheckpoint,
  stepAnswer,
} from '../wire/schemas/learning-answers.js'
import { type Json, type JsonObject, ref } from './json.js'
import { outputSchema } from './json-schema.js'
import { unionSchemas } from './named-union.js'
import { OUTPUT_DOCS } from './output-docs.js'
import { withProperties } from './position-schemas.js'

const count = (description: string): JsonObject => ({ type: 'integer', minimum: 0, description })

const COUNTS = {
  num_tokens: count('Tokens of the request, before batching.'),
  num_characters: count('Unicode code points of the request’s text; there where it brought text.'),
  num_windows: count('Windows of the request, before batching.'),
  num_dropped_tokens: count('Tokens that no window holds, neither as input nor as target.'),
  num_truncated_tokens: count('Tokens that `truncation` cuts off; there where it is true.'),
  num_batches: count('There where `batch_size` is.'),
  num_dropped_windows: count('Windows that `drop_last` leaves out; there where `batch_size` is.'),
} satisfies Record<CountName, JsonObject>

function strict(properties: Readonly<Record<string, Json>>, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

function tensors(): JsonObject {
  const properties = ALL_DATASET_OUTPUTS.map((name) => {
    const [shape, meaning] = OUTPUT_DOCS[name]
    return [name, { ...ref('schemas', 'Tensor'), description: `${shape} ${meaning}` }]
  })
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) }
}

function arrayOf(name: string, description: string): JsonObject {
  return { type: 'array', items: ref('schemas', name), description }
}

/** In words: of arrays within arrays, one for each number of axes, few generators make classes that they can read. */
const NESTED =
  'An array for each index of the first axis, and so on; no tensor has more than three axes. Numbers are the shortest ' +
  'decimals that give the float32 value back, or `"Infinity"`, `"-Infinity"`, `"NaN"`.'

/** Schemas of a tensor in JSON. */
function tensorSchemas(): Readonly<Record<string, JsonObject>> {
  return {
    Tensors: { description: 'The tensors asked for, by name.', ...tensors() },
    Tensor: strict(
      {
        dtype: {
          type: 'string',
          enum: ['int32', 'int64', 'float32', 'float16', 'bfloat16'],
          description: 'Element type. Ids, masks and indices are int32 whatever `dtype` asks for.',
        },
        shape: { type: 'array', items: { type: 'integer', minimum: 0 }, description: 'Sizes of the axes.' },
        data: {
          description: 'Nested arrays of numbers, or, under `encoding_format` base64, one string.',
          oneOf: [
            { type: 'string', contentEncoding: 'base64', description: 'Little-endian bytes, row-major.' },
            ref('schemas', 'NestedNumbers'),
          ],
        },
      },
      ['dtype', 'shape', 'data'],
    ),
    NestedNumbers: { type: 'array', items: {}, description: NESTED },
    TensorMetadata: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'What a position scheme says of its tensors, as the `layout` of `rope`.',
    },
  }
}

/** Objects within answers: each has a name, so that the classes of generated clients have one. */
function partSchemas(): Readonly<Record<string, JsonObject>> {
  const { tokenizer, pooling, learning, error, limits } = modelAnswer.shape
  const tables = modelAnswer.shape.tables.unwrap()
  const [folder] = tables.options.flatMap(({ shape }) => ('files' in shape ? [shape.files.element] : []))
  const { InferenceAnswer, InferenceModel } = inferenceAnswers
  const output = InferenceAnswer.shape.outputs.element
  const embedding = embeddingsAnswer.shape.data.element
  const schemas = {
    Token: tokenAnswer,
    TokenizedDocument: tokenizedDocument,
    Embedding: embedding,
    EmbeddingsUsage: embeddingsAnswer.shape.usage,
    Neighbor: neighborsAnswer.shape.neighbors.element.element,
    ModelTokenizer: tokenizer,
    ModelPooling: pooling.unwrap(),
    ModelTablesFile: folder,
    ModelLearning: learning.unwrap(),
    LearningOptimizer: learning.unwrap().shape.optimizer,
    LearningCheckpoint: learning.unwrap().shape.checkpoint.unwrap(),
    RowsByTable: gradientsAnswer.shape.rows,
    NormsByTable: gradientsAnswer.shape.grad_norms,
    ModelError: error.unwrap(),
    ModelLimits: limits,
    ErrorDetail: errorAnswer.shape.error,
    ErrorCode: errorAnswer.shape.error.shape.code,
    InferenceOutput: output,
    InferenceOutputParameters: output.shape.parameters.unwrap(),
    InferenceTensorMetadata: InferenceModel.shape.inputs.element,
  }
  const members = new Map(tables.options.map((each) => [each.shape.source.value, each] as const))
  const union = { name: 'ModelTables', description: tables.description!, by: 'source', members }
  const { ModelTables, ...kinds } = unionSchemas(union, outputSchema)
  // Answers are told apart by their fields: with a discriminator, Rust's readers look for the constant twice.
  const { discriminator: _, ...told } = ModelTables
  return {
    ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, outputSchema(schema)])),
    ModelTables: told,
    ...kinds,
  }
}

/** Schemas of all JSON answers. */
export function answerSchemas(): Readonly<Record<string, JsonObject>> {
  const model: JsonObject = { type: 'string', description: 'Id of the model.' }
  const model_version: JsonObject = {
    type: 'string',
    description: 'Which set of the model’s tables answered.',
  }
  const metadata = ref('schemas', 'TensorMetadata')
  const outputs = ref('schemas', 'Tensors')
  const answers = {
    TokenizeAnswer: tokenizeAnswer,
    DetokenizeAnswer: detokenizeAnswer,
    RenderedPrompt: renderedPrompt,
    RenderedPrompts: renderedPrompts,
    EmbeddingsAnswer: embeddingsAnswer,
    NeighborsAnswer: neighborsAnswer,
    PromptEmbedsAnswer: promptEmbedsAnswer,
    TablesExchanged: exchangedAnswer,
    Optimizer: optimizerAnswer,
    GradientsAnswer: gradientsAnswer,
    StepAnswer: stepAnswer,
    SavedCheckpoint: savedCheckpoint,
    Health: healthAnswer,
    ErrorAnswer: errorAnswer,
    RouteList: routesAnswer,
    Route: routesAnswer.shape.routes.element,
    ...inferenceAnswers,
  }
  return {
    InputEmbeddingsAnswer: strict({ model, model_version, ...COUNTS, metadata, outputs }, [
      ...['model', 'model_version', 'num_tokens', 'num_windows', 'num_dropped_tokens', 'outputs'],
    ]),
    PositionEmbeddingsAnswer: strict({ model, model_version, metadata, outputs }, [
      ...['model', 'model_version', 'outputs'],
    ]),
    ...tensorSchemas(),
    ...Object.fromEntries(Object.entries(answers).map(([name, schema]) => [name, outputSchema(schema)])),
    ModelList: withProperties(outputSchema(modelsAnswer), { data: arrayOf('Model', 'The models.') }),
    Model: withProperties(outputSchema(modelAnswer), {
      tables: { anyOf: [ref('schemas', 'ModelTables'), { type: 'null' }] },
    }),
    ...partSchemas(),
  }
}
