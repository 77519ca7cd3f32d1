import { watchFile } from 'node:fs'
import { type ApiKey, ApiKeyError, type KeyFile, readKeyFile } from './api-keys.js'
import { allApiKeys, type Config } from './config.js'

/** The file is looked at, not listened to: a mounted secret is changed by swapping links, which some mounts tell nobody. */
const LOOK_MS = 2000

/** What becomes of the keys. */
export interface KeyNotices {
  /** All keys that are known from now on. */
  changed(keys: readonly ApiKey[]): void
  /** The file cannot be: the keys from before stay. The reason shows nothing of a key. */
  broken(reason: string): void
}

/** Reads the file of keys again whenever it changes, without keeping the process alive. */
export function watchKeys(config: Config, notices: KeyNotices): void {
  const file = config.API_KEYS_FILE
  if (file === undefined) return
  watchFile(file.path, { interval: LOOK_MS, persistent: false }, () => take(config, file, notices))
}

function take(config: Config, { path }: KeyFile, { changed, broken }: KeyNotices): void {
  let keys: readonly ApiKey[]
  try {
    keys = allApiKeys(config, readKeyFile(path))
  } catch (error) {
    if (!(error instanceof ApiKeyError)) throw error
    broken(error.message)
    return
  }
  changed(keys)
}
