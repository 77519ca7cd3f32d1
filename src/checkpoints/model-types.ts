import { FAMILIES } from './families/families.js'
import { STATIC_EMBEDDING } from './static/card.js'
import { MODEL2VEC } from './static/layout.js'

/** Every `model_type` of a checkpoint. The bundle for browsers has these values, not the families. */
export const MODEL_TYPES: readonly string[] = [
  ...FAMILIES.map(({ modelType }) => modelType),
  MODEL2VEC,
  STATIC_EMBEDDING,
]
