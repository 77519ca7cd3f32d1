import { ALL_DATASET_OUTPUTS, SEGMENT_OUTPUTS } from '../first-layer/datasets/dataset-outputs.js'
import { takesTokenTypes } from '../first-layer/embeddings/architectures/architecture.js'
import { architectures } from '../first-layer/embeddings/architectures/registry.js'
import { cardSchema } from '../models/cards/card-fields.js'
import { INPUT_NAMES, inferenceInput, inferenceOutput, inferenceRequest } from '../wire/inference/request.js'
import { architectureSchema } from '../wire/schemas/architecture.js'
import { embeddingRequest } from '../wire/schemas/embedding-request.js'
import { embeddingsRequest } from '../wire/schemas/embeddings.js'
import { idsField, textField } from '../wire/schemas/given-field.js'
import { optimizerRequest, stepRequest } from '../wire/schemas/learning.js'
import { MAX_OUTPUTS, outputsField, specialField } from '../wire/schemas/names-field.js'
import { neighborsRequest } from '../wire/schemas/neighbors.js'
import { promptEmbedsRequest } from '../wire/schemas/prompt-embeds.js'
import { renderChatRequest, renderCompletionRequest } from '../wire/schemas/render.js'
import { seedField } from '../wire/schemas/seed-field.js'
import { detokenizeRequest, tokenizeRequest } from '../wire/schemas/tokenize.js'
import { type JsonObject, ref } from './json.js'
import { jsonSchema } from './json-schema.js'
import { type NamedUnion, unionSchemas } from './named-union.js'
import { positionSchemas, withProperties } from './position-schemas.js'

type Schemas = Readonly<Record<string, JsonObject>>

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
const ONE_INPUT = 'One of `text` and `input_ids` is given.'
const ONE_TOKENIZER = '`model` and `encoding` are not given together.'
const tokenTypes = architectures.filter(takesTokenTypes).map(({ name }) => `\`${name}\``)
const EMBEDDING_RULES =
  `${ONE_INPUT} \`stride\` and \`tail\` need \`context_length\`; \`batch_index\` and a true \`drop_last\` need ` +
  '`batch_size`; a true `shuffle` needs `seed`; `token_type_ids` need `input_ids`, and an architecture that has token ' +
  `types (${tokenTypes.join(', ')}).`

const OPTIMIZER: NamedUnion = {
  name: 'OptimizerRequest',
  description: 'Names, defaults and meaning are those of `torch.optim`.',
  by: 'type',
  members: new Map(optimizerRequest.options.map((each) => [each.shape.type.value, each])),
}

/** Schemas of all request bodies. */
export function requestSchemas(): Schemas {
  return {
    InputEmbeddingsRequest: {
      description: EMBEDDING_RULES,
      ...withProperties(jsonSchema(embeddingRequest), NAMED_FIELDS),
    },
    TokenizeRequest: {
      description: `One of \`text\` and \`messages\` is given. ${ONE_TOKENIZER}`,
      ...jsonSchema(tokenizeRequest),
    },
    DetokenizeRequest: { description: ONE_TOKENIZER, ...jsonSchema(detokenizeRequest) },
    RenderCompletionRequest: jsonSchema(renderCompletionRequest),
    RenderChatRequest: jsonSchema(renderChatRequest),
    EmbeddingsRequest: jsonSchema(embeddingsRequest),
    InferenceRequest: withProperties(jsonSchema(inferenceRequest), {
      inputs: listOf(
        'InferenceInput',
        INPUT_NAMES.length,
        '`text` or `input_ids`, and what stands beside them.',
      ),
      outputs: listOf('InferenceRequestedOutput', MAX_OUTPUTS, 'Default: as of /v1/input-embeddings.'),
    }),
    InferenceInput: jsonSchema(inferenceInput),
    InferenceRequestedOutput: jsonSchema(inferenceOutput),
    PromptEmbedsRequest: {
      description: 'One of `text`, `input_ids` and `messages` is given.',
      ...jsonSchema(promptEmbedsRequest),
    },
    NeighborsRequest: {
      description: 'One of `input_ids`, `text` and `vector` is given; `text` not for positions.',
      ...jsonSchema(neighborsRequest),
    },
    ModelCard: withProperties(jsonSchema(cardSchema), NAMED_FIELDS),
    ...unionSchemas(OPTIMIZER, jsonSchema),
    StepRequest: jsonSchema(stepRequest),
    TokenId: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'An id of the encoding, below the model’s `vocab_size`.',
    },
    TokenIds: jsonSchema(idsField('Token ids, used exactly as given: one document, or an array of them.')),
    Texts: jsonSchema(textField),
    SpecialTokens: jsonSchema(specialField),
    Seed: jsonSchema(seedField),
    OutputName: {
      type: 'string',
      enum: ALL_DATASET_OUTPUTS,
      description: `Name of a tensor; ${Object.keys(SEGMENT_OUTPUTS).join(', ')} are of datasets alone.`,
    },
    Architecture: jsonSchema(architectureSchema),
    ...positionSchemas(),
  }
}
