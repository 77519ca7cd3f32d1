import { isDeepStrictEqual } from 'node:util'
import { allApiKeys, type Config } from '../config.js'
import { watchFiles } from '../watch-files.js'
import { type ApiKey, ApiKeyError } from './api-keys.js'
import { readKeyFile } from './read-key-file.js'

/** Called when the file of keys has changed. */
export interface KeyNotices {
  /** The file was read: these are all keys that are accepted from now on. */
  changed(keys: readonly ApiKey[]): void
  /** The file cannot be used: the keys from before stay valid. The reason shows no part of a key. */
  broken(reason: string): void
}

/** Reads the file of keys again whenever it changes, without keeping the process alive. */
export function watchKeys(config: Config, { changed, broken }: KeyNotices): void {
  const file = config.API_KEYS_FILE
  if (file === undefined) return
  let known = allApiKeys(config)
  watchFiles([file.path], () => {
    try {
      const keys = allApiKeys(config, readKeyFile(file.path))
      if (isDeepStrictEqual(keys, known)) return
      known = keys
    } catch (error) {
      if (!(error instanceof ApiKeyError)) throw error
      return broken(error.message)
    }
    changed(known)
  })
}
