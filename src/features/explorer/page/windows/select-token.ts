import { batchOf, placeIn } from '../answer/answer.js'
import { answer, change, recipe, select } from '../store.js'

/** Selects a token of a document; where no window of the batch on screen has it, the batch that has it follows. */
export function selectToken(document: number, token: number): void {
  select({ document, token })
  const current = answer.value
  if (current === undefined || placeIn(current.batch, document, token) !== undefined) return
  const batch = batchOf(current, document, token)
  if (batch !== undefined && batch !== recipe.value.batch_index) change({ batch_index: batch })
}
