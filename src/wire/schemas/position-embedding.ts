import { z } from 'zod'
import type { PositionEmbeddingValue } from '../../first-layer/embeddings/positions/position-embedding.js'
import { positionSchemes } from '../../first-layer/embeddings/positions/registry.js'
import type { Option, OptionRule, Options } from '../../first-layer/options.js'
import { DECIMAL_SEED, isSeed, SEED_RANGE } from '../../first-layer/random/seed.js'

const SEED_RULE = `must be an integer or a decimal string, ${SEED_RANGE}`

function shapeOf(options: Options): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, optionSchema(option)]))
}

/** The schema of one option, with its default and its description. */
export function optionSchema({ rule, fallback, isOptional, description }: Option<unknown>): z.ZodType {
  const schema = ruleSchema(rule)
  const whole = isOptional ? schema.optional() : fallback === undefined ? schema : schema.default(fallback)
  return description === '' ? whole : whole.describe(description)
}

function ruleSchema(rule: OptionRule): z.ZodType {
  switch (rule.kind) {
    case 'boolean':
      return z.boolean()
    case 'choice':
      return z.enum(rule.values as [string, ...string[]])
    case 'literal':
      return z.literal([...rule.values])
    case 'seed': {
      const digits = z
        .string()
        .regex(DECIMAL_SEED, { abort: true })
        .refine((text) => isSeed(BigInt(text)), SEED_RULE)
      return z.union([z.int(), digits], { error: SEED_RULE })
    }
    case 'number': {
      const { isInteger, min, above, max } = rule
      let schema: z.ZodNumber = isInteger ? z.int() : z.number()
      if (min !== undefined) schema = schema.min(min)
      if (above !== undefined) schema = schema.gt(above)
      return max === undefined ? schema : schema.max(max)
    }
    case 'variants': {
      const types = Object.keys(rule.variants).join(', ')
      return z.discriminatedUnion('type', objectsOf(Object.entries(rule.variants)), {
        error: ({ code }) =>
          code === 'invalid_union' ? `must be one of ${types}` : `must be an object with \`type\`: ${types}`,
      })
    }
  }
}

type TypedObject = z.ZodObject<{ type: z.ZodLiteral<string> }, z.core.$strict>

function objectsOf(types: readonly (readonly [type: string, Options])[]): [TypedObject, ...TypedObject[]] {
  const objects = types.map(([type, options]) =>
    z.strictObject({ type: z.literal(type), ...shapeOf(options) }),
  )
  return objects as unknown as [TypedObject, ...TypedObject[]]
}

const typeNames = positionSchemes.map(({ type }) => type)

const flatObject = z
  .discriminatedUnion('type', objectsOf(positionSchemes.map(({ type, options }) => [type, options])), {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${typeNames.join(', ')}` : 'must be a type or an object',
  })
  .transform((value) => value as PositionEmbeddingValue)

/**
 * Parses the wire value: a type, or a flat object with options. `"rope"` and `{ "type": "rope" }` →
 * `{ type: 'rope', head_dim: 64, rope_theta: 10000, … }`. Issues have the paths of the flat object:
 * `['head_dim']`, `['scaling', 'factor']`, `['type']`; an unknown option is `unrecognized_keys`.
 */
export const positionEmbeddingSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { type: value } : value),
  flatObject,
)
