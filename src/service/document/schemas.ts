import { z } from 'zod'
import { renderChatRequest, renderCompletionRequest } from '../../features/chat/render.js'
import * as dataset from '../../features/datasets/schemas/answers.js'
import { mixtureRequest } from '../../features/datasets/schemas/mixture.js'
import { embeddingsRequest } from '../../features/embeddings/schemas.js'
import * as learned from '../../features/learning/http/answers.js'
import { optimizerRequest, stepRequest } from '../../features/learning/http/schemas.js'
import { neighborsRequest } from '../../features/neighbors/schemas.js'
import { inferenceAnswers } from '../../features/open-inference/wire/answer-schemas.js'
import {
  INPUT_NAMES,
  inferenceInput,
  inferenceOutput,
  inferenceRequest,
} from '../../features/open-inference/wire/request.js'
import { promptEmbedsRequest } from '../../features/prompt-embeds/schemas.js'
import { detokenizeRequest, tokenizeRequest } from '../../features/tokenize/schemas.js'
import { ALL_DATASET_OUTPUTS, SEGMENT_OUTPUTS } from '../../first-layer/datasets/dataset-outputs.js'
import { architectures, takesTokenTypes } from '../../first-layer/embeddings/architectures/registry.js'
import { positionSchemes } from '../../first-layer/embeddings/positions/registry.js'
import type { CountName } from '../answer/counts.js'
import { cardSchema } from '../models/cards/card-fields.js'
import { architectureSchema } from '../request/fields/architecture.js'
import { embeddingRequest, rawTextOptions } from '../request/fields/embedding-request.js'
import { fieldsOf } from '../request/fields/fields.js'
import { idsField, textField } from '../request/fields/given-field.js'
import { MAX_OUTPUTS, outputsField, specialField } from '../request/fields/names-field.js'
import { seedField } from '../request/fields/seed-field.js'
import * as answer from './answers.js'
import { type JsonObject, mapped, ref } from './json.js'
import { OUTPUT_DOCS } from './output-docs.js'

type Schemas = Readonly<Record<string, JsonObject>>

/** A zod schema as JSON Schema 2020-12, for the input that a caller writes, before defaults and conversions. */
export function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest as JsonObject
}

/** The same for the output that the service writes: its integers need no bound of JSON's. */
function outputSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return rest as JsonObject
}

/** A field whose schema is a component, or is written by hand. */
const written = (schema: JsonObject) => z.any().meta(schema)
const component = (name: string) => written(ref('schemas', name))

/** The same schema with some properties replaced; a replaced property keeps its description. */
function withProperties(schema: JsonObject, replaced: Schemas): JsonObject {
  const properties = mapped(schema.properties as Schemas, (value, name) => {
    const { description } = value
    return replaced[name] === undefined ? value : { ...replaced[name], ...(description && { description }) }
  })
  return { ...schema, properties }
}

/** `transformer_xl` → `TransformerXl`. */
function pascalCase(name: string): string {
  return name.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase())
}

/** A union and its members, told apart by a constant of one of their properties, each a component: `ModelTablesSeed`. */
function unionSchemas(
  {
    name,
    prefix = name,
    by,
    description,
  }: { name: string; prefix?: string; by: string; description: string },
  members: ReadonlyMap<string, z.ZodType>,
  schemaOf = jsonSchema,
): Schemas {
  const nameOf = (value: string) => `${prefix}${pascalCase(value)}`
  const named = [...members].map(([value, schema]) => [nameOf(value), schemaOf(schema)])
  const oneOf = [...members.keys()].map((value) => ref('schemas', nameOf(value)))
  const mapping = Object.fromEntries([...members.keys()].map((value, i) => [value, oneOf[i].$ref]))
  const discriminator = { propertyName: by, mapping }
  return { [name]: { description, oneOf, discriminator }, ...Object.fromEntries(named) }
}

const [schemeMembers, scalingMembers] = fieldsOf(rawTextOptions).flatMap(({ members }) => members ?? [])

/** A position scheme by its name alone. */
export const SCHEME_NAME: JsonObject = { type: 'string', enum: [...schemeMembers.keys()] }

/** The position schemes with their options, and the `scaling` of `rope`. */
function positionSchemas(): Schemas {
  const OPTIONS = 'PositionEmbeddingOptions'
  const of = { prefix: 'PositionEmbedding', by: 'type' }
  const description = 'A position scheme with its options: a flat object.'
  const schemes = unionSchemas({ ...of, name: OPTIONS, description }, schemeMembers)
  const described = positionSchemes.map(({ type, added, tensorNames }) => {
    const name = `${of.prefix}${pascalCase(type)}`
    const tensors = tensorNames.map((tensor) => `\`${tensor}\``).join(', ')
    const gives = added ? `Adds ${tensors} to the token rows.` : `Gives the attention ${tensors}.`
    const schema = withProperties(schemes[name], { scaling: ref('schemas', 'RopeScaling') })
    return [name, { description: tensors === '' ? 'Token rows as they are.' : gives, ...schema }]
  })
  return {
    PositionEmbedding: {
      description:
        'A position scheme: a type with every option at its default, or a flat object with options.',
      anyOf: [SCHEME_NAME, ref('schemas', OPTIONS)],
    },
    ...schemes,
    ...Object.fromEntries(described),
    ...unionSchemas(
      {
        ...{ name: 'RopeScaling', by: 'type' },
        description: 'How rotary frequencies are stretched for a longer context.',
      },
      scalingMembers,
    ),
  }
}

/** Fields that have, or use, a component of their own; which `outputs` a request can use depends on its scheme. */
export const NAMED_FIELDS: Schemas = {
  position_embedding: ref('schemas', 'PositionEmbedding'),
  architecture: ref('schemas', 'Architecture'),
  outputs: { ...jsonSchema(outputsField), uniqueItems: true, items: ref('schemas', 'OutputName') },
}

function listOf(name: string, maxItems: number, description: string): JsonObject {
  return { type: 'array', minItems: 1, maxItems, items: ref('schemas', name), description }
}

// Rules between the fields of a request stand in words: as JSON Schema has them, few generators take them.
const ONE_TOKENIZER = '`model` and `encoding` are not given together.'
const tokenTypes = architectures.filter(takesTokenTypes).map(({ name }) => `\`${name}\``)
const EMBEDDING_RULES =
  'One of `text` and `input_ids` is given. `stride` and `tail` need `context_length`; `batch_index` and a true `drop_last` need ' +
  '`batch_size`; a true `shuffle` needs `seed`; `token_type_ids` need `input_ids`, and an architecture that has token ' +
  `types (${tokenTypes.join(', ')}).`

/** Bodies of requests, and what they have in common. */
function requestSchemas(): Schemas {
  const schemas = {
    TokenizeRequest: tokenizeRequest.describe(`One of \`text\` and \`messages\` is given. ${ONE_TOKENIZER}`),
    DetokenizeRequest: detokenizeRequest.describe(ONE_TOKENIZER),
    RenderCompletionRequest: renderCompletionRequest,
    RenderChatRequest: renderChatRequest,
    EmbeddingsRequest: embeddingsRequest,
    InferenceInput: inferenceInput,
    InferenceRequestedOutput: inferenceOutput,
    PromptEmbedsRequest: promptEmbedsRequest.describe('One of `text`, `input_ids` and `messages` is given.'),
    NeighborsRequest: neighborsRequest.describe(
      'One of `input_ids`, `text` and `vector` is given; `text` not for positions.',
    ),
    StepRequest: stepRequest,
    TokenIds: idsField('Token ids, used exactly as given: one document, or an array of them.'),
    Texts: textField,
    SpecialTokens: specialField,
    Seed: seedField,
    Architecture: architectureSchema,
    MixtureRequest: mixtureRequest.describe('Each member has a `weight`, or `stages` have all weights.'),
    MixtureMember: mixtureRequest.shape.mixture.out.element,
    MixtureStage: mixtureRequest.shape.stages.unwrap().out.element,
  }
  const optimizers = optimizerRequest.options.map((each) => [each.shape.type.value, each] as const)
  return {
    InputEmbeddingsRequest: withProperties(
      jsonSchema(embeddingRequest.describe(EMBEDDING_RULES)),
      NAMED_FIELDS,
    ),
    InferenceRequest: withProperties(jsonSchema(inferenceRequest), {
      inputs: listOf(
        ...(['InferenceInput', INPUT_NAMES.length] as const),
        '`text` or `input_ids`, and what stands beside them.',
      ),
      outputs: listOf('InferenceRequestedOutput', MAX_OUTPUTS, 'Default: as of /v1/input-embeddings.'),
    }),
    ModelCard: withProperties(jsonSchema(cardSchema), NAMED_FIELDS),
    ...mapped(schemas, jsonSchema),
    ...unionSchemas(
      {
        ...{ name: 'OptimizerRequest', by: 'type' },
        description: 'Names, defaults and meaning are those of `torch.optim`.',
      },
      new Map(optimizers),
    ),
    TokenId: {
      ...{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: 'An id of the encoding, below the model’s `vocab_size`.',
    },
    OutputName: {
      ...{ type: 'string', enum: ALL_DATASET_OUTPUTS },
      description: `Name of a tensor; ${Object.keys(SEGMENT_OUTPUTS).join(', ')} are of datasets alone.`,
    },
    ...positionSchemas(),
  }
}

const count = (description: string) => z.int().min(0).describe(description)

/** Answers whose JSON the service writes block by block. */
function tensorAnswers() {
  const model = z.string().describe('Id of the model.')
  const model_version = z.string().describe('Which set of the model’s tables answered.')
  const outputs = component('Tensors')
  const metadata = component('TensorMetadata').optional()
  const counts = {
    num_tokens: count('Tokens of the request, before batching.'),
    num_characters: count(
      'Unicode code points of the request’s text; there where it brought text.',
    ).optional(),
    num_windows: count('Windows of the request, before batching.'),
    num_dropped_tokens: count('Tokens that no window holds, neither as input nor as target.'),
    num_truncated_tokens: count('Tokens that `truncation` cuts off; there where it is true.').optional(),
    num_batches: count('There where `batch_size` is.').optional(),
    num_dropped_windows: count(
      'Windows that `drop_last` leaves out; there where `batch_size` is.',
    ).optional(),
  } satisfies Record<CountName, z.ZodType>
  const tensors = ALL_DATASET_OUTPUTS.map((name) => {
    const description = OUTPUT_DOCS[name].join(' ')
    return [name, written({ ...ref('schemas', 'Tensor'), description }).optional()]
  })
  return {
    InputEmbeddingsAnswer: z.strictObject({ model, model_version, ...counts, metadata, outputs }),
    PositionEmbeddingsAnswer: z.strictObject({ model, model_version, metadata, outputs }),
    DatasetBatchAnswer: z.strictObject({
      dataset: z.string().describe('Its id.'),
      recipe_id: z.string().describe('Of what decides order and content.'),
      epoch: count('The epoch.'),
      batch_index: count('The batch, the first one of several.'),
      num_batches: count('Batches of an epoch; not of a mixture.').optional(),
      model: z.string().describe('Id of the model; where an output needs one.').optional(),
      model_version: model_version.optional(),
      ...{ metadata, outputs },
    }),
    Tensors: z.strictObject(Object.fromEntries(tensors)).describe('The tensors asked for, by name.'),
    Tensor: z.strictObject({
      dtype: z
        .enum(['int32', 'int64', 'float32', 'float16', 'bfloat16'])
        .describe('Element type. Ids, masks and indices are int32 whatever `dtype` asks for.'),
      shape: z.array(z.int().min(0)).describe('Sizes of the axes.'),
      data: written({
        description: 'Nested arrays of numbers, or, under `encoding_format` base64, one string.',
        oneOf: [
          { type: 'string', contentEncoding: 'base64', description: 'Little-endian bytes, row-major.' },
          ref('schemas', 'NestedNumbers'),
        ],
      }),
    }),
    // In words: of arrays within arrays, one for each number of axes, few generators make classes that they can read.
    NestedNumbers: z
      .array(z.any())
      .describe(
        'An array for each index of the first axis, and so on; no tensor has more than three axes. Numbers are the shortest ' +
          'decimals that give the float32 value back, or `"Infinity"`, `"-Infinity"`, `"NaN"`.',
      ),
    TensorMetadata: z
      .record(z.string(), z.string())
      .describe('What a position scheme says of its tensors, as the `layout` of `rope`.'),
  }
}

/** Objects within answers: each has a name, so that the classes of generated clients have one. */
function answerParts() {
  const { shape } = answer.modelAnswer
  const learning = shape.learning.unwrap()
  const folders = shape.tables.unwrap().options.flatMap((each) => ('files' in each.shape ? [each.shape] : []))
  const output = inferenceAnswers.InferenceAnswer.shape.outputs.element
  return {
    Token: answer.tokenAnswer,
    TokenizedDocument: answer.tokenizedDocument,
    Embedding: answer.embeddingsAnswer.shape.data.element,
    EmbeddingsUsage: answer.embeddingsAnswer.shape.usage,
    Neighbor: answer.neighborsAnswer.shape.neighbors.element.element,
    ModelTokenizer: shape.tokenizer,
    ModelPooling: shape.pooling.unwrap(),
    ModelTablesFile: folders[0].files.element,
    ModelLearning: learning,
    LearningOptimizer: learning.shape.optimizer,
    LearningCheckpoint: learning.shape.checkpoint.unwrap(),
    RowsByTable: learned.gradientsAnswer.shape.rows,
    NormsByTable: learned.gradientsAnswer.shape.grad_norms,
    ModelError: shape.error.unwrap(),
    ModelLimits: shape.limits,
    ErrorDetail: answer.errorAnswer.shape.error,
    ErrorCode: answer.errorAnswer.shape.error.shape.code,
    InferenceOutput: output,
    InferenceOutputParameters: output.shape.parameters.unwrap(),
    InferenceTensorMetadata: inferenceAnswers.InferenceModel.shape.inputs.element,
    DatasetMember: dataset.datasetMember,
    DatasetStage: dataset.datasetStage,
    DatasetRecipe: dataset.plannedRecipe,
    DatasetShare: dataset.datasetShare,
  }
}

/** All JSON answers. */
function answerSchemas(): Schemas {
  const tables = answer.modelAnswer.shape.tables.unwrap()
  const { ModelTables, ...kinds } = unionSchemas(
    { name: 'ModelTables', description: tables.description!, by: 'source' },
    new Map(tables.options.map((each) => [each.shape.source.value, each])),
    outputSchema,
  )
  // Answers are told apart by their fields: with a discriminator, Rust's readers look for the constant twice.
  const { discriminator: _, ...told } = ModelTables
  const schemas = {
    ...tensorAnswers(),
    TokenizeAnswer: answer.tokenizeAnswer,
    DetokenizeAnswer: answer.detokenizeAnswer,
    RenderedPrompt: answer.renderedPrompt,
    RenderedPrompts: answer.renderedPrompts,
    EmbeddingsAnswer: answer.embeddingsAnswer,
    NeighborsAnswer: answer.neighborsAnswer,
    PromptEmbedsAnswer: answer.promptEmbedsAnswer,
    TablesExchanged: answer.exchangedAnswer,
    Optimizer: learned.optimizerAnswer,
    GradientsAnswer: learned.gradientsAnswer,
    StepAnswer: learned.stepAnswer,
    SavedCheckpoint: learned.savedCheckpoint,
    Health: answer.healthAnswer,
    ErrorAnswer: answer.errorAnswer,
    RouteList: answer.routesAnswer,
    Route: answer.routesAnswer.shape.routes.element,
    Dataset: dataset.datasetAnswer,
    DatasetList: dataset.datasetsAnswer,
    DatasetDocument: dataset.datasetDocument,
    DatasetPlan: dataset.datasetPlan,
    ...inferenceAnswers,
    ...answerParts(),
  }
  const data = { type: 'array', items: ref('schemas', 'Model'), description: 'The models.' }
  return {
    ModelList: withProperties(outputSchema(answer.modelsAnswer), { data }),
    Model: withProperties(outputSchema(answer.modelAnswer), {
      tables: { anyOf: [ref('schemas', 'ModelTables'), { type: 'null' }] },
    }),
    ...mapped(schemas, outputSchema),
    ModelTables: told,
    ...kinds,
  }
}

/** Every schema of the document, by name. */
export function schemas(): Schemas {
  return { ...requestSchemas(), ...answerSchemas() }
}
