import { z } from 'zod'
import { architectureNames } from '../first-layer/embeddings/architectures/registry.js'
import { FAMILIES } from './families/families.js'
import { STATIC_EMBEDDING } from './static/card.js'
import { MODEL2VEC } from './static/layout.js'

const modelTypes = [...FAMILIES.map(({ modelType }) => modelType), MODEL2VEC, STATIC_EMBEDDING]

export const requestedArchitectureSchema = z
  .enum([...new Set([...architectureNames, ...modelTypes])], {
    error: `must be one of ${architectureNames.join(', ')}, or the model_type of a model from a checkpoint`,
  })
  .describe(
    'What is done to the token rows. A model that was read from a checkpoint takes its own `model_type` only.',
  )
