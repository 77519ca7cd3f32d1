import { createHash } from 'node:crypto'

/** A caller that may use the service. The key itself is not kept: only its SHA-256. */
export interface ApiKey {
  /** May be logged. */
  readonly name: string
  readonly digest: Uint8Array
  readonly admin?: boolean | undefined
  /** Ids of the models that the caller may use; absent: all. */
  readonly models?: readonly string[] | undefined
  /** Ids of the models that the caller may let learn. */
  readonly learn?: readonly string[] | undefined
}

/** Most keys, the admin’s among them: each has lines in `/metrics`. */
export const MAX_CALLERS = 1000

export const NAME = /^[\w.-]{1,64}$/
/** Visible ASCII: a header carries it without quoting. */
export const KEY = /^[\x21-\x7e]+$/

/** A list of keys breaks a rule. The message never shows a key, nor anything that could be one. */
export class ApiKeyError extends Error {
  override readonly name = 'ApiKeyError'
}

/** `ci:s3cret,laptop:hunter2` → two keys. @throws ApiKeyError */
export function parseApiKeys(text: string): readonly ApiKey[] {
  return parseEntries('Entry', text.split(','))
}

/** Parses `name:key` entries, one a line; skips blank lines and lines that begin with `#`. @throws ApiKeyError */
export function parseApiKeyFile(text: string): readonly ApiKey[] {
  return parseEntries('Line', text.split('\n'), /^(#|$)/)
}

function parseEntries(what: string, entries: readonly string[], skipped?: RegExp): readonly ApiKey[] {
  const keys = entries.flatMap((each, i) => {
    const entry = each.trim()
    if (skipped?.test(entry)) return []
    const place = `${what} ${i + 1}`
    const [, name, key] = /^([^:]*):(.*)$/s.exec(entry) ?? []
    if (name === undefined || key === undefined) throw new ApiKeyError(`${place} has no colon.`)
    if (!NAME.test(name))
      throw new ApiKeyError(`${place} has a name that is not 1 to 64 letters, digits, "_", "." or "-".`)
    if (!KEY.test(key)) throw new ApiKeyError(`${place} has a key that is empty or not visible ASCII.`)
    return [{ name, digest: digestOf(key) }]
  })
  if (keys.length === 0) throw new ApiKeyError('There is no key.')
  return distinct(keys)
}

/** The admin's name. No user's key may have this name beside an admin key. */
export const ADMIN = 'admin'

export function parseAdminKey(text: string): ApiKey {
  const key = text.trim()
  if (!KEY.test(key)) throw new ApiKeyError('It is empty or not visible ASCII.')
  return { name: ADMIN, admin: true, digest: digestOf(key) }
}

/** Returns the keys. @throws ApiKeyError for two of one name, two equal ones, and more than {@link MAX_CALLERS} */
export function distinct(keys: readonly ApiKey[]): readonly ApiKey[] {
  if (keys.length > MAX_CALLERS) {
    throw new ApiKeyError(`There are ${keys.length} keys. There may be ${MAX_CALLERS}.`)
  }
  const names = new Set<string>()
  const digests = new Map<string, string>()
  for (const { name, digest } of keys) {
    if (names.has(name)) throw new ApiKeyError(`The name ${name} stands twice.`)
    const hex = Buffer.from(digest).toString('hex')
    const other = digests.get(hex)
    if (other !== undefined) throw new ApiKeyError(`${other} and ${name} have the same key.`)
    names.add(name)
    digests.set(hex, name)
  }
  return keys
}

export function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
