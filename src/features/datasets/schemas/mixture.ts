import { z } from 'zod'
import { boundedList } from '../../../service/request/fields/bounded-list.js'

const MAX_MEMBERS = 64
const MAX_STAGES = 1024

const weight = z.number().gt(0)

/** The body of `POST /v1/datasets` that makes a dataset of datasets. */
export const mixtureRequest = z.strictObject({
  mixture: boundedList(
    z.strictObject({
      dataset: z.string().describe('Id of a dataset that is no mixture.'),
      weight: weight
        .optional()
        .describe('Its share, beside those of the others; left out where `stages` have it.'),
    }),
    MAX_MEMBERS,
  ).describe('The members.'),
  stages: boundedList(
    z.strictObject({
      from_window: z.int().min(0).describe('The window of the stream, a multiple of 1,024.'),
      weights: boundedList(weight, MAX_MEMBERS).describe('One for each member.'),
    }),
    MAX_STAGES,
  )
    .optional()
    .describe('Weights from a window of the stream on; the first stage begins at 0. Default: one stage.'),
  name: z.string().min(1).max(256).optional().describe('A name for people.'),
})

/** The query of `GET /v1/datasets`. */
export type MixtureBody = z.output<typeof mixtureRequest>

export const datasetList = z.strictObject({
  limit: z.int().min(1).max(1000).default(100).describe('Most datasets of the answer.'),
  after: z
    .string()
    .optional()
    .describe('Only those that come after this id: the last one of the answer before.'),
})
