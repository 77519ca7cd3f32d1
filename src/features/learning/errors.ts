import { type ErrorRow, errorsOf, InletError, shown } from '../../service/answer/error-table.js'

export const errors = {
  optimizer_not_found: [404, 'the model has no optimizer'],
  idempotency_key_reused: [422, '`Idempotency-Key` came with another body since the last step'],
} as const satisfies Readonly<Record<string, ErrorRow>>

declare module '../../first-layer/errors.js' {
  interface ErrorCodes extends Readonly<Record<keyof typeof errors, true>> {}
}

export const LearningError = errorsOf(errors)

/** 409 `optimizer_exists`: what is asked for needs a model without an optimizer, or with another one. */
export function optimizerExists(id: string, otherwise = ''): InletError {
  const message = `\`model\` ${shown(id)} learns${otherwise}: DELETE its optimizer first.`
  return new InletError('optimizer_exists', message, 'model')
}

/** 404 `optimizer_not_found` */
export function optimizerNotFound(id: string): InletError {
  const message = `\`model\` ${shown(id)} must learn: PUT an optimizer first. Given: a model without one`
  return new LearningError('optimizer_not_found', message, 'model')
}

/** 422 `model_failed`: the checkpoint cannot be read. Its place is in the log alone. */
export function cannotGoOn(id: string): InletError {
  const message = `\`model\` ${shown(id)} cannot go on from what it has learned: its checkpoint cannot be read. The service’s log says why.`
  return new InletError('model_failed', message, 'model')
}

/** 409 `model_in_use` */
export function takenElsewhere(id: string): InletError {
  const message = `\`model\` ${shown(id)} learns in another process on the same DATA_DIR: call that one, or stop it first.`
  return new InletError('model_in_use', message, 'model')
}

/** 422 where a checkpoint has no place on the disk. */
export function noDataDir(): InletError {
  const message =
    'DATA_DIR must be set for checkpoints on the disk. Without it, GET a checkpoint and keep it.'
  return new InletError('unsupported_combination', message)
}

/**
 * 507 `insufficient_memory`, with what learning would take.
 *
 * @param parts bytes by what takes them, beside the model's tables: `copies` are those that readers get after the next step
 */
export function noRoomToLearn(
  id: string,
  problem: string,
  parts: Readonly<Record<string, number>>,
): InletError {
  const shownParts = Object.entries(parts).map(([name, bytes]) => `${name} ${bytes}`)
  const message = `${problem} Bytes that ${shown(id)} takes to learn: ${shownParts.join(', ')}.`
  return new InletError('insufficient_memory', message, 'model')
}
