import { z } from 'zod'
import { shown } from '../../errors.js'

/** A list of `least` to `most` elements. A longer one is refused before an element is looked at, where zod alone checks them all. */
export function boundedList<Item extends z.ZodType>(item: Item, most: number, least = 1) {
  return z
    .custom<z.input<Item>[]>()
    .superRefine((value: unknown, context) => {
      const refuse = (message: string) =>
        context.addIssue({ code: 'custom', message, params: { given: shown(value) } })
      if (!Array.isArray(value)) refuse(value === undefined ? 'is needed' : 'must be an array')
      else if (value.length > most) refuse(`must have at most ${most} elements`)
    })
    .pipe(z.array(item).min(least).max(most))
}
