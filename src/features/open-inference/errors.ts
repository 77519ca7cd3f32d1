import { errorsOf } from '../../service/answer/error-table.js'

export const errors = {
  not_implemented: [501, 'a part of the Open Inference Protocol that this service does not have'],
} as const

declare module '../../first-layer/errors.js' {
  interface ErrorCodes extends Readonly<Record<keyof typeof errors, true>> {}
}

export const InferenceError = errorsOf(errors)
