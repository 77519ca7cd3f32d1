import type { Model } from '../embeddings/model.js'
import { InletError, shown } from '../errors.js'

/** @throws InletError `model_not_found` */
export function findModel(model: Model, id: string): Model {
  if (id === model.spec.id) return model
  const message = `\`model\` must be one of ${shown(model.spec.id)}. Given: ${shown(id)}`
  throw new InletError('model_not_found', message, 'model')
}
