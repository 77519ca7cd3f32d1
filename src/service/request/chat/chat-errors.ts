import { ChatError } from '../../../../packages/chat-template/src/index.js'
import type { Steps } from '../../../first-layer/steps.js'
import { InletError } from '../../answer/error-table.js'

/** Runs work on a chat and turns its errors into the service's. @throws InletError for each ChatError */
export function* withOwnErrors<Result>(steps: Steps<Result>): Steps<Result> {
  try {
    return yield* steps
  } catch (error) {
    throw error instanceof ChatError ? new InletError(error.code, error.message, error.param) : error
  }
}
