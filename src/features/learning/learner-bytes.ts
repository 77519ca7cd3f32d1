import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import type { Optimizer } from '../../first-layer/learning/optimizer-options.js'
import { InletError } from '../../service/answer/error-table.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import { noRoomToLearn } from './errors.js'
import type { LearnerFacts } from './jobs.js'
import { learnablePlaces } from './snapshot.js'

/** Bytes that a learner takes at its beginning. */
export function learnerBytes(
  { tables, law, options, rows }: Optimizer,
  present: SharedTables,
): LearnerFacts['bytes'] {
  const bytes = { tables: 0, states: 0, gradients: 0 }
  for (const { name, rows: tableRows, dim } of learnablePlaces(present)) {
    if (!tables.includes(name)) continue
    const learning = name === 'wte.weight' && rows !== undefined ? rows.length : tableRows
    bytes.tables += 4 * tableRows * dim
    bytes.states += law.states(options).length * 4 * learning * dim
  }
  return bytes
}

export function sum({ tables, states, gradients }: LearnerFacts['bytes']): number {
  return tables + states + gradients
}

/** An error about room with what the model takes to learn; any other as it is. */
export function withBytes(error: unknown, model: RegisteredModel, bytes: LearnerFacts['bytes']): unknown {
  if (!(error instanceof InletError) || error.code !== 'insufficient_memory') return error
  return noRoomToLearn(model.id, error.message, {
    ...bytes,
    copies: model.copyBytes,
  })
}
