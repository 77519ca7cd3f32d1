import { z } from 'zod'
import { requestedArchitectureSchema } from '../src/checkpoints/requested-architecture.js'
import { architectureOption } from '../src/first-layer/cards/card-json.js'
import { ALL_DATASET_OUTPUTS, SEGMENT_OUTPUTS } from '../src/first-layer/datasets/dataset-outputs.js'
import { positionEmbeddingSchema } from '../src/first-layer/embeddings/positions/position-option.js'
import { positionSchemes } from '../src/first-layer/embeddings/positions/registry.js'
import { idsField, textField } from '../src/first-layer/given.js'
import { LOOKUP_OUTPUTS } from '../src/first-layer/lookups/lookup-card.js'
import { specialField } from '../src/first-layer/options/names.js'
import { seedField, seedOption } from '../src/first-layer/options/seed.js'
import { typeOf } from '../src/service/answer/error-table.js'
import {
  component,
  type JsonObject,
  metaOf,
  object,
  pascalCase,
  ref,
  text,
  unionComponent,
} from '../src/service/document/components.js'
import { ERROR_CODES, ERROR_ROWS } from '../src/service/features.js'

/** A schema of which the document has another form than zod makes. */
function written<Schema extends z.ZodType>(schema: Schema, form: JsonObject): Schema {
  z.globalRegistry.add(schema, { ...metaOf(schema), written: form })
  return schema
}

// The components that requests of several features share.

component('TokenIds', idsField)
component('Texts', textField)
component('SpecialTokens', specialField)
component('Seed', seedField)
written(seedOption, ref('schemas', 'Seed'))
component('Architecture', architectureOption, 'What is done to the token rows.')
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
    z.enum([...ALL_DATASET_OUTPUTS, ...Object.keys(LOOKUP_OUTPUTS)]),
    `Name of a tensor; ${SEGMENT_OUTPUTS.join(', ')} are of datasets alone.`,
  ),
]

/** The schema of error answers, when the features have added their codes. */
export function errorAnswer(): z.ZodType {
  const groups = [...new Set(ERROR_ROWS.map(([, [status]]) => typeOf(status)))]
  return object('ErrorAnswer', {
    error: object('ErrorDetail', {
      type: z.enum(groups).describe('Group of the code.'),
      code: component('ErrorCode', z.enum(ERROR_CODES), 'What went wrong, for programs.'),
      message: text('The field, the rule and the value given, for people.'),
      param: text(
        'The field as a dotted path (`text.1`, `position_embedding.base`), a header’s name, or null.',
      ).nullable(),
    }),
  })
}
