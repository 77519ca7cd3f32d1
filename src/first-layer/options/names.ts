import { z } from 'zod'
import { shown } from '../errors.js'
import { customForms } from './fields.js'

/** Most tensors that one request can name: more than there are. */
export const MAX_OUTPUTS = 64
/** Most special tokens that one request can allow: more than any encoding has. */
export const MAX_SPECIAL = 1024

const ALL = 'all'
const OUTPUT_NAME = { $ref: '#/components/schemas/OutputName' }

/** Names of tensors, each once. */
export const outputsField: z.ZodType<readonly string[], readonly string[]> = z
  .array(z.string())
  .min(1)
  .max(MAX_OUTPUTS)
  .superRefine((names, context) => {
    const doubled = names.find((name, i) => names.indexOf(name) < i)
    if (doubled !== undefined)
      context.addIssue({ code: 'custom', message: `must not name ${shown(doubled)} twice` })
  })
  .meta({ items: OUTPUT_NAME, uniqueItems: true })

/** Special tokens that count as such: a list of literals, or all. */
export const specialField = z
  .custom<typeof ALL | readonly string[]>()
  .superRefine((value: unknown, context) => {
    const isList = Array.isArray(value) && value.every((name) => typeof name === 'string')
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    if (value !== ALL && !isList) refuse(`must be "${ALL}" or an array of strings`)
    else if (isList && value.length > MAX_SPECIAL) refuse(`must have at most ${MAX_SPECIAL} elements`)
  })
  .meta({
    anyOf: [
      { type: 'string', const: ALL },
      { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: MAX_SPECIAL },
    ],
  })
  .register(customForms, { kind: 'list', words: [ALL] })
