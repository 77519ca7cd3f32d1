import { z } from 'zod'
import { ALL_DATASET_OUTPUTS, SEGMENT_OUTPUTS } from '../../first-layer/datasets/dataset-outputs.js'
import { positionSchemes } from '../../first-layer/embeddings/positions/registry.js'
import { MEMORY_OUTPUTS } from '../../first-layer/memory/memory-card.js'
import { bodyOf, type ErrorCode, errorRows, InletError } from '../answer/error-table.js'
import { architectureSchema, requestedArchitectureSchema } from '../request/fields/architecture.js'
import { idsField, textField } from '../request/fields/given-field.js'
import { specialField } from '../request/fields/names-field.js'
import { seedOption } from '../request/fields/option-schemas.js'
import { positionEmbeddingSchema } from '../request/fields/position-embedding.js'
import { seedField } from '../request/fields/seed-field.js'
import { component, object, pascalCase, unionComponent, written } from './components.js'
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

/** Components that others name only in words: no schema leads to them. */
export const NAMED = [
  component(
    'TokenId',
    z.int().min(0).max(Number.MAX_SAFE_INTEGER),
    'An id of the encoding, below the model’s `vocab_size`.',
  ),
  component(
    'OutputName',
    z.enum([...ALL_DATASET_OUTPUTS, ...Object.keys(MEMORY_OUTPUTS)]),
    `Name of a tensor; ${Object.keys(SEGMENT_OUTPUTS).join(', ')} are of datasets alone.`,
  ),
]

export const text = (description: string) => z.string().describe(description)
export const flag = (description: string) => z.boolean().describe(description)
export const count = (description: string) => z.int().min(0).describe(description)

export const answeredModel = {
  model: text('Id of the model.'),
  model_version: text('The version of its tables.'),
}

export const errorCodes = () => errorRows().map(([code]) => code) as [ErrorCode, ...ErrorCode[]]

/** Every answer that is not a 200. To be made once, when the features have added their codes. */
export function errorAnswer() {
  const codes = errorCodes()
  const groups = [...new Set(codes.map((code) => bodyOf(new InletError(code, '')).error.type))]
  return object('ErrorAnswer', {
    error: object('ErrorDetail', {
      type: z.enum(groups).describe('Group of the code.'),
      code: component('ErrorCode', z.enum(codes), 'What went wrong, for programs.'),
      message: text('The field, the rule and the value given, for people.'),
      param: text(
        'The field as a dotted path (`text.1`, `position_embedding.base`), a header’s name, or null.',
      ).nullable(),
    }),
  })
}
