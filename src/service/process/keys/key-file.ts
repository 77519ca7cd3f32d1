import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { isModelId } from '../../../models/model-id.js'
import { quoted } from '../../answer/error-table.js'
import {
  type ApiKey,
  ApiKeyError,
  digestOf,
  distinct,
  KEY,
  NAME,
  parseAdminKey,
  parseApiKeyFile,
} from './api-keys.js'

// Errors of every function here show neither the path, which could be a key given by mistake, nor a key.

export interface KeyFile {
  readonly path: string
  readonly keys: readonly ApiKey[]
}

/** Reads a file of `name:key` lines, or of callers as JSON if its first character is `{`. @throws ApiKeyError */
export function readKeyFile(path: string): KeyFile {
  const text = textOf(path)
  return { path, keys: text.trimStart().startsWith('{') ? parseCallersFile(text) : parseApiKeyFile(text) }
}

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

/** A schema with its rule for messages. No rule shows the value given: it could be a key. */
function ruled<Schema extends z.ZodType>(schema: Schema, rule: string): Schema {
  return schema.meta({ rule }) as Schema
}

function modelIds() {
  const ids = z.array(z.string().refine(isModelId)).min(1)
  return ruled(ids.optional(), 'must be an array of models’ ids, at least one')
}

const CALLER = z.strictObject({
  name: ruled(z.string().regex(NAME), 'must be 1 to 64 letters, digits, "_", "." or "-"'),
  key: ruled(z.string().regex(KEY), 'must be visible ASCII, at least one character'),
  models: modelIds(),
  learn: modelIds(),
  admin: ruled(z.boolean().optional(), 'must be true or false'),
})

const CALLERS_RULE = 'must be an array of callers, at least one'
const FILE = z.strictObject({ callers: z.array(CALLER).min(1) })

/**
 * Parses a file of callers and what each may use.
 * `{ "callers": [{ "name": "ci", "key": "…", "models": ["default"] }] }` → one key
 * @throws ApiKeyError that names the place and the rule, and shows no value
 */
export function parseCallersFile(text: string): readonly ApiKey[] {
  const result = FILE.safeParse(json(text))
  if (!result.success) throw problem(result.error.issues[0])
  return distinct(
    result.data.callers.map(({ key, ...rights }, i) => {
      const barred = rights.learn?.findIndex((id) => rights.models?.includes(id) === false) ?? -1
      if (barred >= 0) throw new ApiKeyError(`callers.${i}.learn.${barred} must be one of models too.`)
      return { ...rights, digest: digestOf(key) }
    }),
  )
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiKeyError('It begins with "{" and is not JSON.') // the parser's own message shows a part of the text
  }
}

function problem(issue: z.core.$ZodIssue): ApiKeyError {
  const place = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const where = place === '' ? 'The file' : place
    return new ApiKeyError(`${where} has an unknown field, ${quoted(issue.keys[0])}.`)
  }
  const field = issue.path.findLast((each) => typeof each === 'string')
  if (typeof issue.path.at(-1) === 'number' && field === 'callers') {
    return new ApiKeyError(`${place} must be an object.`)
  }
  const schema = CALLER.shape[field as keyof typeof CALLER.shape] as z.ZodType | undefined
  return new ApiKeyError(`${place || 'callers'} ${schema?.meta()?.rule ?? CALLERS_RULE}.`)
}
