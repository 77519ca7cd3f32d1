import { positionSchemes } from '../first-layer/embeddings/positions/registry.js'
import { rawTextOptions } from '../wire/schemas/embedding-request.js'
import { fieldsOf } from '../wire/schemas/fields.js'
import { type JsonObject, ref } from './json.js'
import { jsonSchema } from './json-schema.js'
import { pascalCase, unionSchemas } from './named-union.js'

type Schemas = Readonly<Record<string, JsonObject>>

const [schemeMembers, scalingMembers] = fieldsOf(rawTextOptions).flatMap(({ members }) => members ?? [])

const SCHEMES = {
  name: 'PositionEmbeddingOptions',
  prefix: 'PositionEmbedding',
  description: 'A position scheme with its options: a flat object.',
  by: 'type',
  members: schemeMembers,
}

const SCALING = {
  name: 'RopeScaling',
  description: 'How rotary frequencies are stretched for a longer context.',
  by: 'type',
  members: scalingMembers,
}

/** A position scheme by its name alone. */
export const SCHEME_NAME: JsonObject = { type: 'string', enum: [...schemeMembers.keys()] }

/** One position scheme's options, and what the scheme does with them. */
function schemeSchemas(): Schemas {
  const schemas = unionSchemas(SCHEMES, jsonSchema)
  const described = positionSchemes.map(({ type, added, tensorNames }) => {
    const name = `${SCHEMES.prefix}${pascalCase(type)}`
    const tensors = tensorNames.map((tensor) => `\`${tensor}\``).join(', ')
    const gives = added ? `Adds ${tensors} to the token rows.` : `Gives the attention ${tensors}.`
    const description = tensorNames.length === 0 ? 'Token rows as they are.' : gives
    const schema = withProperties(schemas[name], { scaling: ref('schemas', 'RopeScaling') })
    return [name, { description, ...schema }] as const
  })
  return { ...schemas, ...Object.fromEntries(described) }
}

/** The same schema with some properties replaced; a replaced property keeps its description. */
export function withProperties(schema: JsonObject, replaced: Schemas): JsonObject {
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
  const description =
    'A position scheme: a type with every option at its default, or a flat object with options.'
  return {
    PositionEmbedding: { description, anyOf: [SCHEME_NAME, ref('schemas', SCHEMES.name)] },
    ...schemeSchemas(),
    ...unionSchemas(SCALING, jsonSchema),
  }
}
