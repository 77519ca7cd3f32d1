import { z } from 'zod'
import type { Option, OptionRule, Options } from '../../../first-layer/options.js'
import { DECIMAL_SEED, isSeed, SEED_RULE } from '../../../first-layer/random/seed.js'
import { boundedList } from './bounded-list.js'

export function shapeOf<Shape extends Options>(options: Shape): OptionSchemas<Shape> {
  const schemas = Object.entries(options).map(([name, option]) => [name, optionSchema(option)])
  return Object.fromEntries(schemas) as OptionSchemas<Shape>
}

type OptionSchemas<Shape extends Options> = {
  readonly [Name in keyof Shape]: z.ZodType<Shape[Name]['value']>
}

function optionSchema({ rule, fallback, isOptional, description }: Option<unknown>): z.ZodType {
  const schema = ruleSchema(rule)
  const whole = isOptional ? schema.optional() : fallback === undefined ? schema : schema.default(fallback)
  return description === '' ? whole : whole.describe(description)
}

const digits = z
  .string()
  .regex(DECIMAL_SEED, { abort: true })
  .refine((text) => isSeed(BigInt(text)), SEED_RULE)

/** The seed of a scheme's tables. */
export const seedOption = z.union([z.int(), digits], { error: SEED_RULE })

function ruleSchema(rule: OptionRule): z.ZodType {
  switch (rule.kind) {
    case 'boolean':
      return z.boolean()
    case 'choice':
      return z.enum(rule.values as [string, ...string[]])
    case 'name':
      return z.enum(rule.values as [string, ...string[]], {
        error: `must be one of ${rule.values.join(', ')}`,
      })
    case 'literal':
      return z.literal([...rule.values])
    case 'seed':
      return seedOption
    case 'number': {
      const { isInteger, min, above, max, below } = rule
      let schema: z.ZodNumber = isInteger ? z.int() : z.number()
      if (min !== undefined) schema = schema.min(min)
      if (above !== undefined) schema = schema.gt(above)
      if (below !== undefined) schema = schema.lt(below)
      return max === undefined ? schema : schema.max(max)
    }
    case 'list':
      return boundedList(ruleSchema(rule.items), rule.length, rule.length)
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

export function objectsOf(
  types: readonly (readonly [type: string, Options])[],
): [TypedObject, ...TypedObject[]] {
  const objects = types.map(([type, options]) =>
    z.strictObject({ type: z.literal(type), ...shapeOf(options) }),
  )
  return objects as unknown as [TypedObject, ...TypedObject[]]
}
