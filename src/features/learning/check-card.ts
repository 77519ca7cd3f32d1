import { checkLearnable } from '../../first-layer/learning/gradient-call.js'
import { noCard } from '../../service/models/errors.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'

/** Checks that a model's tables can learn. @throws InletError `unsupported_combination`, `model_loading`, `model_failed` */
export function checkCard({ entry }: RegisteredModel): void {
  if (entry.hasNoCard) throw noCard(entry)
  checkLearnable(entry.card)
}
