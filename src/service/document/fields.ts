import { z } from 'zod'
import { positionSchemes } from '../../first-layer/embeddings/positions/registry.js'
import { type ErrorCode, errorRows } from '../answer/error-table.js'
import { architectureSchema, requestedArchitectureSchema } from '../request/fields/architecture.js'
import { idsField, textField } from '../request/fields/given-field.js'
import { specialField } from '../request/fields/names-field.js'
import { seedOption } from '../request/fields/option-schemas.js'
import { positionEmbeddingSchema } from '../request/fields/position-embedding.js'
import { seedField } from '../request/fields/seed-field.js'
import { component, pascalCase, unionComponent, written } from './components.js'
import { ref } from './json.js'

// The components that requests of several features share.

component('TokenIds', idsField)
component('Texts', textField)
component('SpecialTokens', specialField)
component('Seed', seedField)
written(seedOption, ref('schemas', 'Seed'))
component('Architecture', architectureSchema, 'What is done to the token rows.')
written(requestedArchitectureSchema, ref('schemas', 'Architecture'))

const { options: schemes } = unionComponent(
  'PositionEmbeddingOptions',
  positionEmbeddingSchema.out.in,
  'A position scheme with its options: a flat object.',
  'PositionEmbedding',
)
for (const [i, { type, added, tensorNames }] of positionSchemes.entries()) {
  const tensors = tensorNames.map((tensor) => `\`${tensor}\``).join(', ')
  const gives = added ? `Adds ${tensors} to the token rows.` : `Gives the attention ${tensors}.`
  component(
    `PositionEmbedding${pascalCase(type)}`,
    schemes[i],
    tensors === '' ? 'Token rows as they are.' : gives,
  )
  const { scaling } = schemes[i].shape as { scaling?: z.ZodOptional<z.ZodDiscriminatedUnion> }
  const STRETCHED = 'How rotary frequencies are stretched for a longer context.'
  if (scaling !== undefined) unionComponent('RopeScaling', scaling.unwrap(), STRETCHED)
}
component(
  'PositionEmbedding',
  positionEmbeddingSchema,
  'A position scheme: a type with every option at its default, or a flat object with options.',
)
const types = positionSchemes.map(({ type }) => type)
written(positionEmbeddingSchema, {
  anyOf: [{ type: 'string', enum: types }, ref('schemas', 'PositionEmbeddingOptions')],
})

export const text = (description: string) => z.string().describe(description)
export const flag = (description: string) => z.boolean().describe(description)
export const count = (description: string) => z.int().min(0).describe(description)

export const answeredModel = {
  model: text('Id of the model.'),
  model_version: text('The version of its tables.'),
}

export const errorCodes = () => errorRows().map(([code]) => code) as [ErrorCode, ...ErrorCode[]]
