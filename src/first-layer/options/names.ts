import { z } from 'zod'
import { shown } from '../errors.js'
import { customForms } from './fields.js'

type Context = z.core.$RefinementCtx

/** Most tensors that one request can name: more than there are. */
export const MAX_OUTPUTS = 64
/** Most special tokens that one request can allow: more than any encoding has. */
export const MAX_SPECIAL = 1024

const ALL = 'all'
const OUTPUT_NAME = { $ref: '#/components/schemas/OutputName' }

/** Names of tensors, each once. Only the first fault is reported, not one for each element. */
export const outputsField = z
  .custom<readonly string[]>()
  .superRefine((value: unknown, context) => {
    if (!Array.isArray(value)) return refuse(context, 'must be an array')
    if (value.length === 0) return refuse(context, 'must have at least 1 elements')
    if (value.length > MAX_OUTPUTS) return refuse(context, `must have at most ${MAX_OUTPUTS} elements`)
    const other = value.findIndex((name) => typeof name !== 'string')
    if (other >= 0) return refuse(context, 'must be a string', [other])
    const doubled = firstDoubled(value)
    if (doubled !== undefined) refuse(context, `must not name ${shown(doubled)} twice`)
  })
  .meta({ type: 'array', minItems: 1, maxItems: MAX_OUTPUTS, items: OUTPUT_NAME, uniqueItems: true })
  .register(customForms, { kind: 'list' })

/** Special tokens that count as such: a list of literals, or all. */
export const specialField = z
  .custom<typeof ALL | readonly string[]>()
  .superRefine((value: unknown, context) => {
    if (value === ALL) return
    if (!Array.isArray(value) || value.some((name) => typeof name !== 'string'))
      refuse(context, `must be "${ALL}" or an array of strings`)
    else if (value.length > MAX_SPECIAL) refuse(context, `must have at most ${MAX_SPECIAL} elements`)
  })
  .meta({
    anyOf: [
      { type: 'string', const: ALL },
      { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: MAX_SPECIAL },
    ],
  })
  .register(customForms, { kind: 'list', words: [ALL] })

function firstDoubled(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find((name) => seen.size === seen.add(name).size)
}

function refuse(context: Context, message: string, path: number[] = []): void {
  context.addIssue({ code: 'custom', path, message })
}
