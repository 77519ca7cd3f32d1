import { InletError } from '../errors.js'

/** Answers that are kept for each writer: a client that retries asks for the last one. */
const KEPT_ANSWERS = 16

/** A call that must have its effect once, however often it is sent. */
interface NumberedCall {
  /** The writer's name. */
  readonly writer: string
  /** From 1, one up with each call of this writer. */
  readonly sequence: number
  /** A digest of the call's content, such as its SHA-256. */
  readonly digest: string
}

/** A writer's calls so far, as plain data. */
export interface WriterState {
  /** The number of the last call. */
  readonly sequence: number
  /** Answers to the last calls, the oldest first. */
  readonly answers: readonly {
    readonly sequence: number
    readonly digest: string
    readonly answer: unknown
  }[]
}

/**
 * Which calls have had their effect. A call is looked up before its work, and noted in the same turn in which the work is
 * done; one that failed has no number, and is sent again with the same one.
 */
export class Writers {
  readonly #states = new Map<string, WriterState>()

  constructor(states: Readonly<Record<string, WriterState>> = {}) {
    for (const [writer, state] of Object.entries(states)) this.#states.set(writer, state)
  }

  /**
   * The first answer to a call that has had its effect; undefined for the next call of its writer.
   *
   * @throws InletError `sequence_conflict` for a number that another content had, or one too old to tell; `sequence_gap`
   *   for one beyond the next, with the next in its message
   */
  answered({ writer, sequence, digest }: NumberedCall): { readonly answer: unknown } | undefined {
    const { sequence: last, answers } = this.#states.get(writer) ?? { sequence: 0, answers: [] }
    if (sequence === last + 1) return undefined
    if (sequence > last) {
      throw new InletError(
        'sequence_gap',
        `\`X-Sequence\` of ${writer} must be ${last + 1}, the next. Given: ${sequence}`,
        'X-Sequence',
      )
    }
    const kept = answers.find((each) => each.sequence === sequence)
    if (kept?.digest === digest) return { answer: kept.answer }
    const rule = kept === undefined ? 'answers so old are not kept' : 'this number had another body'
    throw new InletError(
      'sequence_conflict',
      `\`X-Sequence\` of ${writer} must be ${last + 1}, the next: ${rule}. Given: ${sequence}`,
      'X-Sequence',
    )
  }

  /** Notes that the writer's next call has had its effect. */
  note({ writer, sequence, digest }: NumberedCall, answer: unknown): void {
    const before = this.#states.get(writer)?.answers ?? []
    const answers = [...before.slice(1 - KEPT_ANSWERS), { sequence, digest, answer }]
    this.#states.set(writer, { sequence, answers })
  }

  /** The last number of each writer. */
  sequences(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#states].map(([writer, { sequence }]) => [writer, sequence]))
  }

  /** All that a restored learner needs to know of them. */
  states(): Readonly<Record<string, WriterState>> {
    return Object.fromEntries(this.#states)
  }
}
