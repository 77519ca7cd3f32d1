import { z } from 'zod'
import { givenField, idsField, textField } from './given.js'
import { METRICS } from './neighbors/search.js'
import { tokenizeOptions } from './options/tokenize.js'

const MAX_NEIGHBORS = 1000
export const MAX_QUERIES = 64

const numbers = { type: 'array', minItems: 1, items: { type: 'number' } } as const

/** Finite numbers, or arrays of them, one per query; checked by a loop, since there may be thousands. */
const vectorField = givenField((value, refuse): readonly (readonly number[])[] => {
  const lists = Array.isArray(value) && Array.isArray(value[0]) ? value : [value]
  for (const [i, list] of lists.entries()) {
    const path = lists === value ? [i] : []
    if (!Array.isArray(list) || list.length === 0)
      return refuse(path, 'must be an array of numbers, or of such arrays', list)
    const wrong = list.findIndex((x) => typeof x !== 'number' || !Number.isFinite(Math.fround(x)))
    if (wrong >= 0) return refuse([...path, wrong], 'must be a float32 number', list[wrong])
  }
  return lists
}).meta({
  anyOf: [numbers, { type: 'array', minItems: 1, items: numbers }],
  description: 'Rows that are given as numbers, each as wide as the table.',
})

/** The body of `POST /v1/models/{model}/neighbors`. */
export const neighborsRequest = z
  .strictObject({
    input_ids: idsField
      .describe('Rows of the table: one query, the mean of its rows, or several.')
      .optional(),
    text: textField.optional(),
    vector: vectorField.optional(),
    allowed_special: tokenizeOptions.allowed_special,
    k: z.int().min(1).max(MAX_NEIGHBORS).default(10).describe('How many neighbours of each query.'),
    metric: z
      .enum(METRICS)
      .default('cosine')
      .describe('How near two rows are. A row of zeros has the cosine 0; `euclidean` is a distance.'),
    table: z
      .enum(['token', 'position'])
      .default('token')
      .describe('The rows that are searched; those of `position` have positions as ids.'),
  })
  .superRefine(({ input_ids, text, vector, table }, context) => {
    const given = [input_ids, text, vector].filter((each) => each !== undefined)
    if (given.length !== 1) {
      const message = 'must be given, or `text`, or `vector`: one of them'
      context.addIssue({ code: 'custom', path: ['input_ids'], message, input: input_ids })
    } else if (text !== undefined && table === 'position') {
      context.addIssue({ code: 'custom', path: ['text'], message: 'must not be given for positions' })
    }
  })

export type NeighborsBody = z.output<typeof neighborsRequest>
