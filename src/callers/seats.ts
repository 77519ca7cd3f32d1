import type { ApiKey } from '../api-keys.js'
import type { Accounts } from './accounts.js'

/** The admin's account, whichever key it has. */
export const ADMIN_ACCOUNT = 0

/** Gives each caller an account, by name: whoever is still in the file after a change keeps what was counted. */
export class Seats {
  #accounts = new Map<string, number>()

  constructor(private readonly memory: Accounts) {}

  /** The callers with their accounts. An account that is free again begins at 0. */
  seated(keys: readonly ApiKey[]): readonly ApiKey[] {
    const accounts = new Map<string, number>()
    for (const { name } of keys) {
      const known = this.#accounts.get(name)
      if (known !== undefined) accounts.set(name, known)
    }
    const taken = new Set(accounts.values())
    let next = ADMIN_ACCOUNT + 1
    for (const { name } of keys) {
      if (accounts.has(name)) continue
      while (taken.has(next)) next++
      taken.add(next)
      accounts.set(name, next)
      this.memory.clear(next)
    }
    this.#accounts = accounts
    return keys.map((key) => ({ ...key, account: accounts.get(key.name) }))
  }
}
