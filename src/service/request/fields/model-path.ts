import { z } from 'zod'

/** A path with `:model` in it, for the framework's types. */
export interface ModelPath {
  Params: { model: string }
}

/** The parameter of a path with a model in it. A slash in its id is %2F. */
export const modelPath = z.object({ model: z.string().describe('Id of the model.') })
