import type { ApiKey } from './api-keys.js'
import { type Clock, exchangeRate, MONOTONIC } from './bucket.js'
import { type CallerLimits, MAX_CALLERS, policiesOf } from './caller-limits.js'
import type { Usage } from './usage.js'

/** The admin's account, whichever key it has. */
export const ADMIN_ACCOUNT = 0

/** Where a caller's use is counted, and by which limits. */
interface Account {
  readonly account: number
  readonly limits: CallerLimits | undefined
}

/**
 * Gives each caller an account, by name: a caller who stays in the file through a change, or comes back, keeps the
 * counts. When all accounts are taken, a new caller gets that of the caller who has been gone longest.
 */
export class Accounts {
  /** In the order in which callers were last seen in the file. */
  readonly #accounts = new Map<string, Account>()

  constructor(
    private readonly memory: Usage,
    private readonly clock: Clock = MONOTONIC,
  ) {}

  /** The callers with their accounts. An account that was another caller's begins at 0. */
  assign(keys: readonly ApiKey[]): readonly ApiKey[] {
    const present = new Set(keys.map(({ name }) => name))
    return keys.map((key) => {
      const { name, limits } = key
      const before = this.#accounts.get(name)
      if (before !== undefined) this.#exchange(before, limits)
      const account = before?.account ?? this.#free(present)
      this.#accounts.delete(name)
      this.#accounts.set(name, { account, limits })
      return { ...key, account }
    })
  }

  /** An account for a new caller. @param present names that keep theirs */
  #free(present: ReadonlySet<string>): number {
    if (this.#accounts.size < MAX_CALLERS) return ADMIN_ACCOUNT + 1 + this.#accounts.size
    for (const [name, { account }] of this.#accounts) {
      if (present.has(name)) continue
      this.#accounts.delete(name)
      this.memory.clear(account)
      return account
    }
    throw new RangeError(`There are more than ${MAX_CALLERS} callers.`)
  }

  #exchange({ account, limits }: Account, next: CallerLimits | undefined): void {
    const now = this.clock()
    const after = policiesOf(next)
    for (const before of policiesOf(limits)) {
      const policy = after.find(({ word }) => word === before.word)
      if (policy === undefined) continue
      const place = { words: this.memory.words, index: this.memory.bucketAt(account, before.word) }
      exchangeRate({ ...before, ...place }, policy, now)
    }
  }
}
