import { z } from 'zod'
import { RECIPE_OPTIONS, type RecipeFields } from '../../../first-layer/datasets/recipe-options.js'
import { queryReader } from '../../../service/request/body/query.js'
import { optionFields } from '../../../service/request/fields/embedding-request.js'
import { shapeOf } from '../../../service/request/fields/option-schemas.js'

const { model, position_embedding, architecture, position_offset } = optionFields
const { outputs, dtype, ids_dtype, encoding_format, seed } = optionFields

const recipeFields = { ...shapeOf(RECIPE_OPTIONS), seed: seed.describe('Of `shuffle`, −2^63 … 2^64 − 1.') }

/** The query of a dataset's plan and of its batches. */
export const datasetRecipe = z.strictObject({
  ...recipeFields,
  recipe_id: z
    .string()
    .optional()
    .describe('A guard: 409 where this is not the id of the recipe that the other fields make.'),
  ...{ model, position_embedding, architecture, position_offset },
  ...{ outputs, dtype, ids_dtype, encoding_format },
})

export type DatasetRecipeQuery = z.output<typeof datasetRecipe>

/** @throws InletError `invalid_request` */
export const readRecipeQuery = queryReader(datasetRecipe)

const NAMES = Object.keys(recipeFields) as (keyof typeof recipeFields)[]

/** The fields of the recipe alone. */
export function recipeOf(query: DatasetRecipeQuery): RecipeFields {
  return Object.fromEntries(NAMES.map((name) => [name, query[name]])) as RecipeFields
}
