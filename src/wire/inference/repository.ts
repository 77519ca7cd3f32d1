import { z } from 'zod'

/** The body of a repository index: which models are listed. */
export const repositoryIndex = z.looseObject({
  ready: z.boolean().default(false).describe('Only models that are ready.'),
})

const parameters = (known: z.ZodRawShape) => z.looseObject({ parameters: z.strictObject(known).optional() })

/** The body of a load. Triton's parameters, a configuration and files, are for what it loads: here there is none. */
export const repositoryLoad = parameters({})

/** The body of an unload. No model depends on another. */
export const repositoryUnload = parameters({
  unload_dependents: z.boolean().optional().describe('Changes nothing: no model depends on another.'),
})
