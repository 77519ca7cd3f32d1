import type { ApiKey } from './api-keys.js'
import type { Bucket } from './bucket.js'
import { type Policy, policiesOf } from './caller-limits.js'
import { policyField } from './rate-fields.js'
import type { Usage } from './usage.js'

/** A limit of one caller, with its bucket. */
export type Limit = Policy & Bucket

/** Who sent a request, and what that caller may do. */
export interface Caller {
  /** May be logged. */
  readonly name: string
  /** May change models. */
  readonly isAdmin: boolean
  /** Ids of the models that the caller may use; absent: all. */
  readonly models?: ReadonlySet<string> | undefined
  readonly account?: number | undefined
  /** Empty: no limits. */
  readonly limits: readonly Limit[]
  /** `RateLimit-Policy`, where there are limits. */
  readonly policyField: string
}

export function callerOf({ name, admin, models, limits, account }: ApiKey, usage: Usage): Caller {
  const own = account === undefined ? [] : policiesOf(limits)
  return {
    name,
    isAdmin: admin === true,
    models: models && new Set(models),
    account,
    limits: own.map((policy) => ({
      ...policy,
      words: usage.words,
      index: usage.bucketAt(account ?? 0, policy.word),
    })),
    policyField: policyField(own),
  }
}
