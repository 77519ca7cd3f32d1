import { z } from 'zod'
import { architectureNames } from '../first-layer/embeddings/architectures/registry.js'
import { MODEL_TYPES } from './model-types.js'

export const requestedArchitectureSchema = z
  .enum([...new Set([...architectureNames, ...MODEL_TYPES])], {
    error: `must be one of ${architectureNames.join(', ')}, or the model_type of a model from a checkpoint`,
  })
  .describe(
    'What is done to the token rows. A model that was read from a checkpoint takes its own `model_type` only.',
  )
