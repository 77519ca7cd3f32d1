import type { CallAnswer, LearningCall } from './admin.js'
import type { LearnerFacts } from './jobs.js'

/** A call that has had its effect. */
export interface DoneCall {
  readonly model: string
  readonly kind: LearningCall['kind']
  readonly answer: CallAnswer
  readonly seconds: number
}

/** Told of what happens. */
export interface LearningEvents {
  /** A call has had its effect. */
  done(call: DoneCall): void
  /** A model goes on from its checkpoint. */
  reopened(model: string, facts: LearnerFacts): void
  /** A checkpoint cannot be read; the error names the file. */
  notReopened(model: string, error: Error): void
  /** The process ends, and a model is not on the disk as it is. */
  notSaved(model: string, error: Error): void
}

/** The log of the process. */
interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** What the service's log and its metrics say of learning. */
export function learningEvents(
  log: Log,
  count: (kind: LearningCall['kind'], seconds: number) => void,
): LearningEvents {
  return {
    done({ model, kind, answer, seconds }) {
      count(kind, seconds)
      const { model_version: version, step } = answer
      if (kind === 'step') log.debug({ model, version, step, seconds }, 'a step')
    },
    reopened(model, { version, state }) {
      const { step, pending } = state
      log.info({ model, version, step, pending }, 'a model goes on learning')
    },
    notReopened(model, { message: reason }) {
      log.error({ model, reason }, 'a model cannot go on from what it has learned')
    },
    notSaved(model, { message: reason }) {
      log.error({ model, reason }, 'what a model has learned since its last checkpoint is lost')
    },
  }
}
