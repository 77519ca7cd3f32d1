import { InletError, shown } from '../../service/answer/error-table.js'
import { isModelId, MODEL_ID_RULE } from '../../service/models/cards/model-id.js'

/** @throws InletError `invalid_request` for an id that no model may have */
export function checkModelId(id: string): void {
  if (isModelId(id)) return
  throw new InletError('invalid_request', `\`model\` must be ${MODEL_ID_RULE}. Given: ${shown(id)}`, 'model')
}
