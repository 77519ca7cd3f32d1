import { watchFile } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type ApiKey, ApiKeyError, distinct } from './api-keys.js'
import { type KeyFile, readKeyFile } from './key-file.js'

export interface KeyVariables {
  readonly API_KEYS?: readonly ApiKey[] | undefined
  readonly API_KEYS_FILE?: KeyFile | undefined
  readonly ADMIN_KEY?: ApiKey | undefined
  readonly ADMIN_KEY_FILE?: ApiKey | undefined
}

/** The key of the routes that change models; undefined: no caller may change any. */
export function adminKey({ ADMIN_KEY, ADMIN_KEY_FILE }: KeyVariables): ApiKey | undefined {
  return ADMIN_KEY ?? ADMIN_KEY_FILE
}

/**
 * All users' keys, from either variable.
 * @param file the present content of the file. Default: its content at the start
 * @throws ApiKeyError where two keys are equal or have one name, or a key has the admin's name or key
 */
export function allApiKeys(variables: KeyVariables, file = variables.API_KEYS_FILE): readonly ApiKey[] {
  const keys = [...(variables.API_KEYS ?? []), ...(file?.keys ?? [])]
  const admin = adminKey(variables)
  distinct(admin === undefined ? keys : [...keys, admin])
  return keys
}

export interface KeyNotices {
  /** The file was read: `keys` are all keys that are accepted from now on. */
  changed(keys: readonly ApiKey[]): void
  /** The file cannot be used: the keys from before stay valid. The reason shows no part of a key. */
  broken(reason: string): void
}

/** The file is polled: an orchestrator changes mounted secrets by swapping links, and some mounts send no event for that. */
const LOOK_MS = 2000

/**
 * Reads the file of keys again whenever it changes, without keeping the process alive; and once after two seconds, for
 * what changed between its reading at the start and the beginning of the watch.
 */
export function watchKeys(variables: KeyVariables, { changed, broken }: KeyNotices): void {
  const path = variables.API_KEYS_FILE?.path
  if (path === undefined) return
  let known = allApiKeys(variables)
  const look = () => {
    try {
      const keys = allApiKeys(variables, readKeyFile(path))
      if (isDeepStrictEqual(keys, known)) return
      known = keys
    } catch (error) {
      if (!(error instanceof ApiKeyError)) throw error
      return broken(error.message)
    }
    changed(known)
  }
  watchFile(path, { interval: LOOK_MS, persistent: false }, look)
  setTimeout(look, LOOK_MS).unref()
}
