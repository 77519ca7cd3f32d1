import { watchFile } from 'node:fs'
import { type ApiKey, ApiKeyError } from './api-keys.js'
import { type KeyFile, readKeyFile } from './callers/read-key-file.js'
import { allApiKeys, type Config } from './config.js'

/**
 * The file is polled: an orchestrator changes a mounted secret by swapping links, and some mounts send no event
 * for that.
 */
const LOOK_MS = 2000

/** Called when the file of keys has changed. */
export interface KeyNotices {
  /** The file was read: these are all keys that are accepted from now on. */
  changed(keys: readonly ApiKey[]): void
  /** The file cannot be used: the keys from before stay valid. The reason shows no part of a key. */
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
