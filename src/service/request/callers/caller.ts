import { type ApiKey, digestOf } from './api-keys.js'

/** The sender of a request, and the caller's rights. */
export interface Caller {
  /** May be logged. */
  readonly name: string
  /** May change models. */
  readonly isAdmin: boolean
  /** Ids of the models that the caller may use; absent: all. */
  readonly models?: ReadonlySet<string> | undefined
  /** Ids of the models that the caller may let learn; absent: none, unless the caller is an admin. */
  readonly learn?: ReadonlySet<string> | undefined
}

/**
 * Finds the caller of a key by the key's SHA-256. So a thousand callers cost as much as one, and the time of a look-up
 * tells nothing of a key: a guesser cannot choose the digest of a guess.
 */
export class KeyRing {
  readonly #callers: ReadonlyMap<string, Caller>
  /** Whether some caller may change models. */
  readonly hasAdmin: boolean
  /** Whether some other caller may let models learn. */
  readonly hasTrainer: boolean

  constructor(keys: readonly ApiKey[]) {
    this.#callers = new Map(keys.map((key) => [indexOf(key.digest), callerOf(key)]))
    this.hasAdmin = keys.some(({ admin }) => admin)
    this.hasTrainer = keys.some(({ learn }) => learn)
  }

  find(key: string): Caller | undefined {
    return this.#callers.get(indexOf(digestOf(key)))
  }
}

function callerOf({ name, admin, models, learn }: ApiKey): Caller {
  return { name, isAdmin: admin === true, models: models && new Set(models), learn: learn && new Set(learn) }
}

function indexOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1')
}
