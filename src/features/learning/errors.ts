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

/** 409 `model_in_use` */
export function takenElsewhere(id: string): InletError {
  const message = `\`model\` ${shown(id)} learns in another process on the same DATA_DIR: call that one, or stop it first.`
  return new InletError('model_in_use', message, 'model')
}
