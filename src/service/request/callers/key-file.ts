import { readFileSync } from 'node:fs'
import { type ApiKey, ApiKeyError, parseAdminKey, parseApiKeyFile } from './api-keys.js'
import { parseCallersFile } from './callers-file.js'

// Errors of every function here show neither the path, which could be a key given by mistake, nor a key.

/** A file of keys with its path, so that it can be read again. */
export interface KeyFile {
  readonly path: string
  readonly keys: readonly ApiKey[]
}

/** Reads a file of `name:key` lines, or of callers as JSON if its first character is `{`. @throws ApiKeyError */
export function readKeyFile(path: string): KeyFile {
  const text = textOf(path)
  return { path, keys: text.trimStart().startsWith('{') ? parseCallersFile(text) : parseApiKeyFile(text) }
}

/** @throws ApiKeyError */
export function readAdminKeyFile(path: string): ApiKey {
  return parseAdminKey(textOf(path))
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '') // some editors begin a file with a byte order mark
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    throw new ApiKeyError(`It cannot be read: ${code ?? name}.`)
  }
}
