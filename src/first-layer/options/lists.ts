import { z } from 'zod'
import { shown } from '../errors.js'

type Context = z.core.$RefinementCtx

/** A list of `least` to `most` elements. A longer one is refused before an element is looked at, where zod alone checks them all. */
export function boundedList<Item extends z.ZodType>(item: Item, most: number, least = 1) {
  const list = z.array(item).min(least).max(most)
  return z.preprocess((value, context) => (checkCount(value, most, context) ? value : z.NEVER), list)
}

/**
 * A list of 1 to `most` numbers, checked by a loop: the first fault is reported, not one for each number.
 * @param ruleOf the rule that a value breaks
 * @param form of a number, for the document of the interface
 */
export function numberList(most: number, ruleOf: (value: unknown) => string | undefined, form: object) {
  return z
    .custom<readonly number[]>()
    .superRefine((value: unknown, context) => {
      if (!checkCount(value, most, context)) return
      if (value.length === 0) context.addIssue({ code: 'custom', message: 'must have at least 1 elements' })
      const wrong = value.findIndex((number) => ruleOf(number) !== undefined)
      if (wrong < 0) return
      const params = { given: shown(value[wrong]) }
      context.addIssue({ code: 'custom', path: [wrong], message: ruleOf(value[wrong])!, params })
    })
    .meta({ type: 'array', minItems: 1, items: form, maxItems: most })
}

function checkCount(value: unknown, most: number, context: Context): value is readonly unknown[] {
  const refuse = (message: string): false => {
    context.addIssue({ code: 'custom', message, params: { given: shown(value) } })
    return false
  }
  if (!Array.isArray(value)) return refuse(value === undefined ? 'is needed' : 'must be an array')
  return value.length <= most || refuse(`must have at most ${most} elements`)
}
