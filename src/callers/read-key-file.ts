import { type ApiKey, parseApiKeyFile, readKeys } from './api-keys.js'
import { parseCallersFile } from './callers-file.js'

/** A file of keys, and where it lies, so that it can be read again. */
export interface KeyFile {
  readonly path: string
  readonly keys: readonly ApiKey[]
}

/**
 * Reads a file of `name:key` lines, or of callers as JSON where its first character is `{`.
 *
 * @throws ApiKeyError that says what is wrong with the file, and neither its path (it could be a key) nor a key
 */
export function readKeyFile(path: string): KeyFile {
  const text = readKeys(path)
  return { path, keys: text.trimStart().startsWith('{') ? parseCallersFile(text) : parseApiKeyFile(text) }
}
