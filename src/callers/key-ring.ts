import { type ApiKey, digestOf } from './api-keys.js'
import { type Caller, callerOf } from './caller.js'
import type { Usage } from './usage.js'

/**
 * Finds the caller of a key. Callers are found by the SHA-256 of the key, so a thousand cost no more than one; the time
 * says nothing of a key, since nobody can choose the digest that a guess has.
 */
export class KeyRing {
  readonly #callers = new Map<string, Caller>()

  constructor(keys: readonly ApiKey[], usage: Usage) {
    for (const key of keys) {
      this.#callers.set(indexOf(key.digest), callerOf(key, usage))
    }
  }

  /** Whether some caller may change models. */
  get hasAdmin(): boolean {
    return [...this.#callers.values()].some(({ isAdmin }) => isAdmin)
  }

  find(key: string): Caller | undefined {
    return this.#callers.get(indexOf(digestOf(key)))
  }
}

function indexOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1')
}
