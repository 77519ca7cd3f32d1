import { z } from 'zod'

export const text = (description: string) => z.string().describe(description)
export const flag = (description: string) => z.boolean().describe(description)
export const count = (description: string) => z.int().min(0).describe(description)

export const answeredModel = {
  model: text('Id of the model.'),
  model_version: text('The version of its tables.'),
}
