import { checkHasTables } from '../../../first-layer/embeddings/model.js'
import { InletError } from '../../../service/answer/error-table.js'
import { noCard } from '../../../service/models/errors.js'
import type { Models } from '../../../service/models/library/models.js'
import type { LimitVariables } from '../../../service/process/config.js'
import type { Remote } from '../../../service/threads/channel.js'
import type { Learning } from '../learning.js'

/** The parts that the routes of learning share. */
export interface LearningContext {
  readonly learning: Remote<Learning>
  readonly models: Models
  readonly variables: LimitVariables
}

export const JSON_TYPE = 'application/json'

/**
 * Checks that a model could learn here.
 *
 * @throws InletError `model_not_found`, `model_loading`, `model_failed`; `unsupported_combination` under TensorFlow, and
 *   for tables of 16 bits
 */
export function checkCanLearn(models: Models, id: string): void {
  const entry = models.find(id)
  if (entry.hasNoCard) throw noCard(entry)
  checkHasTables(entry.card)
  if (models.backend?.name === 'tensorflow') {
    const message = 'Models learn under `TF_BACKEND` cpu alone. Given: tensorflow'
    throw new InletError('unsupported_combination', message, 'model')
  }
  const { dtype } = entry.card
  if (dtype === 'float32') return
  const how = `GET /v1/models/${id}/tables, widen its tensors to F32, and PUT the file as a model of another id`
  const message = `\`model\` ${id} must have float32 tables to learn: ${how}. Given: ${dtype}`
  throw new InletError('unsupported_combination', message, 'model')
}
