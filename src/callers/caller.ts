import { type ApiKey, digestOf } from './api-keys.js'
import type { Bucket } from './bucket.js'
import { type Policy, policiesOf } from './caller-limits.js'
import { policyField } from './rate-fields.js'
import type { Usage } from './usage.js'

/** A limit of one caller, with its bucket. */
export type Limit = Policy & Bucket

/** The sender of a request, and the caller's rights. */
export interface Caller {
  /** May be logged. */
  readonly name: string
  /** May change models. */
  readonly isAdmin: boolean
  /** Ids of the models that the caller may use; absent: all. */
  readonly models?: ReadonlySet<string> | undefined
  /** Ids of the models that the caller may let learn; absent: none, but for an admin. */
  readonly learn?: ReadonlySet<string> | undefined
  readonly account?: number | undefined
  /** Empty: no limits. */
  readonly limits: readonly Limit[]
  /** `RateLimit-Policy`, where there are limits. */
  readonly policyField: string
}

/**
 * Finds the caller of a key by the key's SHA-256. So a thousand callers cost no more than one, and the time of a look-up
 * tells nothing of a key: a guesser cannot choose the digest of a guess.
 */
export class KeyRing {
  readonly #callers: ReadonlyMap<string, Caller>
  /** Whether some caller may change models. */
  readonly hasAdmin: boolean
  /** Whether some other caller may let models learn. */
  readonly hasTrainer: boolean

  constructor(keys: readonly ApiKey[], usage: Usage) {
    this.#callers = new Map(keys.map((key) => [indexOf(key.digest), callerOf(key, usage)]))
    this.hasAdmin = keys.some(({ admin }) => admin)
    this.hasTrainer = keys.some(({ learn }) => learn)
  }

  find(key: string): Caller | undefined {
    return this.#callers.get(indexOf(digestOf(key)))
  }
}

export function callerOf({ name, admin, models, learn, limits, account }: ApiKey, usage: Usage): Caller {
  const policies = account === undefined ? [] : policiesOf(limits)
  return {
    name,
    isAdmin: admin === true,
    models: models && new Set(models),
    learn: learn && new Set(learn),
    account,
    limits: policies.map((policy) => ({
      ...policy,
      words: usage.words,
      index: usage.bucketAt(account ?? 0, policy.word),
    })),
    policyField: policyField(policies),
  }
}

function indexOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1')
}
