import { z } from 'zod'
import { optionFields } from '../../../checkpoints/embedding-request.js'
import { type DatasetRecipe, recipeOptions } from '../../../first-layer/datasets/recipe-options.js'
import { boundedList } from '../../../first-layer/options/lists.js'
import { queryReader } from '../../../first-layer/options/query.js'
import { InletError, shown } from '../../../service/answer/error-table.js'

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
export const datasetList = z.strictObject({
  limit: z.int().min(1).max(1000).default(100).describe('Most datasets of the answer.'),
  after: z
    .string()
    .optional()
    .describe('Only those that come after this id: the last one of the answer before.'),
})

const { model, position_embedding, architecture, position_offset } = optionFields
const { outputs, dtype, ids_dtype, encoding_format } = optionFields

/** The query of a dataset's plan and of its batches. */
export const datasetRecipe = z.strictObject({
  ...recipeOptions,
  recipe_id: z
    .string()
    .optional()
    .describe('A guard: 409 where this is not the id of the recipe that the other fields make.'),
  ...{ model, position_embedding, architecture, position_offset },
  ...{ outputs, dtype, ids_dtype, encoding_format },
})

export type DatasetRecipeQuery = z.output<typeof datasetRecipe>

export const readRecipeQuery = queryReader(datasetRecipe)

const runs = z.boolean().default(false)

/** The query of a batch's documents; all of a batch's other fields may stand there too. */
export const batchDocuments = z.strictObject({
  ...recipeOptions,
  recipe_id: datasetRecipe.shape.recipe_id,
  text: runs.describe('The documents’ texts too, in runs of tokens that are trained or not.'),
})

export const readDocumentsQuery = queryReader(datasetRecipe.extend({ text: runs }))

const NAMES = Object.keys(recipeOptions) as (keyof DatasetRecipe)[]

export function recipeOf(query: DatasetRecipeQuery): DatasetRecipe {
  return Object.fromEntries(NAMES.map((name) => [name, query[name]])) as DatasetRecipe
}

/** A path with `:dataset` in it, for the framework's types. */
export interface DatasetPath {
  Params: { dataset: string }
}

/** A number in a path. @throws InletError `invalid_request` */
export function naturalNumber(name: string, given: string): number {
  const number = Number(given)
  if (/^\d{1,16}$/.test(given) && Number.isSafeInteger(number)) return number
  const rule = 'must be an integer from 0 to 9007199254740991'
  throw new InletError('invalid_request', `\`${name}\` ${rule}. Given: ${shown(given)}`, name)
}
