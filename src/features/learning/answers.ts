import { InletError, shown } from '../../service/answer/error-table.js'
import { LearningError } from './errors.js'

/** Most calls with a key between two steps. */
const MOST_KEYS = 65_536

/** Gradients or a step, by the content that must have its effect once. */
export interface KeyedCall {
  readonly kind: 'gradients' | 'step'
  /** Value of `Idempotency-Key`; undefined: each call has its effect. */
  readonly key: string | undefined
  /** SHA-256 of the call's content, in hex. */
  readonly digest: string
}

/** The answer to gradients or a step. */
export interface CallAnswer {
  readonly model: string
  readonly model_version: string
  readonly [field: string]: unknown
}

/** The answers to calls with a key since the last step, and to that step. A call is looked up before its work, in its model's turn. */
export class Answers {
  readonly #byKey = new Map<string, { readonly digest: string; readonly answer: CallAnswer }>()

  /**
   * The first answer to a call that has had its effect.
   *
   * @throws InletError `idempotency_key_reused` where the key had another content; `invalid_request` for a key too many
   */
  find({ key, digest }: KeyedCall): CallAnswer | undefined {
    if (key === undefined) return undefined
    const kept = this.#byKey.get(key)
    if (kept?.digest === digest) return kept.answer
    if (kept !== undefined) {
      const message = `\`Idempotency-Key\` must be another one: it came with other content since the last step. Given: ${shown(key)}`
      throw new LearningError('idempotency_key_reused', message, 'idempotency-key')
    }
    if (this.#byKey.size < MOST_KEYS) return undefined
    const message = `\`Idempotency-Key\` must be one of at most ${MOST_KEYS} between two steps: make a step. Given: ${shown(key)}`
    throw new InletError('invalid_request', message, 'idempotency-key')
  }

  /** Keeps the answer to a call that has had its effect. A step forgets the keys before its own. */
  keep({ kind, key, digest }: KeyedCall, answer: CallAnswer): void {
    if (kind === 'step') this.#byKey.clear()
    if (key !== undefined) this.#byKey.set(key, { digest, answer })
  }
}
