import type { CallAnswer } from './admin.js'
import type { LearnerFacts } from './jobs.js'
import type { JournalCall } from './journal.js'
import type { TornTail } from './journals.js'

/** A call that has had its effect. */
export interface DoneCall {
  readonly model: string
  readonly kind: JournalCall['kind']
  readonly answer: CallAnswer
  readonly seconds: number
}

/** Told of what happens. */
export interface LearningEvents {
  /** A call has had its effect. */
  done(call: DoneCall): void
  /** A model goes on from its journal. */
  reopened(model: string, facts: LearnerFacts, torn: TornTail | undefined): void
  /** A journal cannot be read; the error names the file and the place. */
  notReopened(model: string, error: Error): void
  /** A log has not been folded into a checkpoint: it goes on. */
  notFolded(model: string, reason: string): void
}

/** The log of the process. */
interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** What the service's log and its metrics say of learning. */
export function learningEvents(
  log: Log,
  count: (kind: JournalCall['kind'], seconds: number) => void,
): LearningEvents {
  return {
    done({ model, kind, answer, seconds }) {
      count(kind, seconds)
      const { model_version: version, step } = answer
      if (kind === 'step') log.debug({ model, version, step, seconds }, 'a step')
    },
    reopened(model, { version, state }, torn) {
      const { step, pending } = state
      log.info({ model, version, step, pending }, 'a model goes on learning')
      if (torn !== undefined) log.warn({ model, ...torn }, 'a call that was not answered is cut off its log')
    },
    notReopened(model, { message: reason }) {
      log.error({ model, reason }, 'a model cannot go on from what it has learned')
    },
    notFolded(model, reason) {
      log.warn({ model, reason }, 'a log has not become a checkpoint, and goes on')
    },
  }
}
