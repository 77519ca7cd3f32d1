import { z } from 'zod'
import { takesTokenTypes } from '../first-layer/embeddings/architectures/architecture.js'
import { architectures } from '../first-layer/embeddings/architectures/registry.js'
import { positionSchemes } from '../first-layer/embeddings/positions/registry.js'
import { ALL_OUTPUTS } from '../first-layer/outputs.js'
import { cardSchema } from '../models/cards/card-fields.js'
import { repositoryIndex } from '../wire/inference/repository.js'
import { inferenceRequest } from '../wire/inference/request.js'
import { architectureSchema } from '../wire/schemas/architecture.js'
import { chatRequest, completionRequest } from '../wire/schemas/completions.js'
import { embeddingRequest, rawTextOptions } from '../wire/schemas/embedding-request.js'
import { embeddingsRequest } from '../wire/schemas/embeddings.js'
import { fieldsOf } from '../wire/schemas/fields.js'
import { idsField, textField } from '../wire/schemas/given-field.js'
import { outputsField, specialField } from '../wire/schemas/names-field.js'
import { neighborsRequest } from '../wire/schemas/neighbors.js'
import { promptEmbedsRequest } from '../wire/schemas/prompt-embeds.js'
import { seedField } from '../wire/schemas/seed-field.js'
import { detokenizeRequest, tokenizeRequest } from '../wire/schemas/tokenize.js'
import { type JsonObject, ref } from './json.js'

type Schemas = Readonly<Record<string, JsonObject>>

/** A zod schema as JSON Schema 2020-12, for the input that a caller writes, before defaults and conversions. */
export function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest as JsonObject
}

/** `transformer_xl` → `TransformerXl`. */
export function pascalCase(name: string): string {
  return name.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase())
}

interface NamedUnion {
  readonly name: string
  readonly description: string
  readonly members: ReadonlyMap<string, z.ZodObject>
}

/** A union of objects told apart by `type`, each under a name of its own. */
function union({ name, description, members }: NamedUnion): JsonObject {
  const names = [...members.keys()].map((type) => [type, `${name}${pascalCase(type)}`] as const)
  return {
    description,
    type: 'object',
    required: ['type'],
    oneOf: names.map(([, member]) => ref('schemas', member)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        names.map(([type, member]) => [type, `#/components/schemas/${member}`] as const),
      ),
    },
  }
}

function memberSchemas({ name, members }: NamedUnion): Schemas {
  return Object.fromEntries(
    [...members].map(([type, schema]) => [`${name}${pascalCase(type)}`, jsonSchema(schema)]),
  )
}

/** One position scheme's options, and what the scheme does with them. */
function schemeSchemas(union: NamedUnion): Schemas {
  const schemas = memberSchemas(union)
  const described = positionSchemes.map(({ type, added, tensorNames }) => {
    const name = `${union.name}${pascalCase(type)}`
    const tensors = tensorNames.map((tensor) => `\`${tensor}\``).join(', ')
    const gives = added ? `Adds ${tensors} to the token rows.` : `Gives the attention ${tensors}.`
    const description = tensorNames.length === 0 ? 'Token rows as they are.' : gives
    const schema = withProperties(schemas[name], { scaling: ref('schemas', 'RopeScaling') })
    return [name, { description, ...schema }] as const
  })
  return Object.fromEntries(described)
}

/** The same schema with some properties replaced; a replaced property keeps its description. */
function withProperties(schema: JsonObject, replaced: Schemas): JsonObject {
  const properties = schema.properties as Schemas
  const changed = Object.entries(replaced)
    .filter(([name]) => name in properties)
    .map(([name, value]) => {
      const { description } = properties[name]
      return [name, description === undefined ? value : { ...value, description }]
    })
  return { ...schema, properties: { ...properties, ...Object.fromEntries(changed) } }
}

/** Schemas of the position schemes with their options, and of the `scaling` of `rope`. */
export function positionSchemas(): Schemas {
  const [options, scaling] = fieldsOf(rawTextOptions).flatMap(({ members }) => members ?? [])
  const scalingUnion: NamedUnion = {
    name: 'RopeScaling',
    description: 'How rotary frequencies are stretched for a longer context.',
    members: scaling,
  }
  const schemes: NamedUnion = {
    name: 'PositionEmbedding',
    description: 'A position scheme with its options: a flat object.',
    members: options,
  }
  return {
    PositionEmbedding: {
      description:
        'A position scheme: a type with every option at its default, or a flat object with options.',
      oneOf: [ref('schemas', 'PositionEmbeddingType'), ref('schemas', 'PositionEmbeddingOptions')],
    },
    PositionEmbeddingType: { type: 'string', enum: [...options.keys()] },
    PositionEmbeddingOptions: union(schemes),
    ...schemeSchemas(schemes),
    RopeScaling: union(scalingUnion),
    ...memberSchemas(scalingUnion),
  }
}

/** A schema that requires all these fields. */
function has(...fields: readonly string[]): JsonObject {
  return { required: fields, properties: Object.fromEntries(fields.map((field) => [field, {}])) }
}

/** A schema that requires the field `needed` where the switch `field` is true. */
function needsWhenTrue(field: string, needed: string): JsonObject {
  return { anyOf: [{ properties: { [field]: { const: false } } }, has(needed)] }
}

/** The rules between fields of an embedding request that JSON Schema can express (`checkConflicts` and others). */
const TOGETHER: JsonObject = {
  oneOf: [has('text'), has('input_ids')],
  dependentRequired: {
    stride: ['context_length'],
    tail: ['context_length'],
    batch_index: ['batch_size'],
    token_type_ids: ['input_ids'],
  },
  dependentSchemas: {
    token_type_ids: {
      properties: {
        architecture: { enum: architectures.filter(takesTokenTypes).map(({ name }) => name) },
      },
    },
  },
  allOf: [needsWhenTrue('shuffle', 'seed'), needsWhenTrue('drop_last', 'batch_size')],
}

/** `model` or `encoding`, not both. */
const ONE_TOKENIZER: JsonObject = { not: has('model', 'encoding') }

/** Fields that have, or use, a component of their own; which `outputs` a request can use depends on its scheme. */
export const NAMED_FIELDS: Schemas = {
  position_embedding: ref('schemas', 'PositionEmbedding'),
  architecture: ref('schemas', 'Architecture'),
  outputs: { ...jsonSchema(outputsField), uniqueItems: true, items: ref('schemas', 'OutputName') },
}

/** Schemas of all request bodies. */
export function requestSchemas(): Schemas {
  return {
    InputEmbeddingsRequest: { ...withProperties(jsonSchema(embeddingRequest), NAMED_FIELDS), ...TOGETHER },
    TokenizeRequest: { ...jsonSchema(tokenizeRequest), ...ONE_TOKENIZER },
    DetokenizeRequest: { ...jsonSchema(detokenizeRequest), ...ONE_TOKENIZER },
    EmbeddingsRequest: jsonSchema(embeddingsRequest),
    InferenceRequest: jsonSchema(inferenceRequest),
    RepositoryIndexRequest: jsonSchema(repositoryIndex),
    PromptEmbedsRequest: { ...jsonSchema(promptEmbedsRequest), oneOf: [has('text'), has('input_ids')] },
    CompletionRequest: {
      ...jsonSchema(completionRequest),
      anyOf: [has('prompt'), has('prompt_embeds')],
      additionalProperties: true,
    },
    ChatCompletionRequest: { ...jsonSchema(chatRequest), additionalProperties: true },
    NeighborsRequest: jsonSchema(neighborsRequest),
    ModelCard: withProperties(jsonSchema(cardSchema), NAMED_FIELDS),
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
    OutputName: { type: 'string', enum: ALL_OUTPUTS, description: 'Name of a tensor.' },
    Architecture: jsonSchema(architectureSchema),
    ...positionSchemas(),
  }
}
