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

// Each schema has its rule as its message, which does not show the value given: it could be a key.
const text = (pattern: RegExp, rule: string) => z.string(rule).regex(pattern, rule)

const IDS_RULE = 'must be an array of models’ ids, at least one'
const modelIds = z.array(z.string(IDS_RULE).refine(isModelId, IDS_RULE), IDS_RULE).min(1, IDS_RULE).optional()

const CALLER = z.strictObject(
  {
    name: text(NAME, 'must be 1 to 64 letters, digits, "_", "." or "-"'),
    key: text(KEY, 'must be visible ASCII, at least one character'),
    models: modelIds,
    learn: modelIds,
    admin: z.boolean('must be true or false').optional(),
  },
  'must be an object',
)

const CALLERS_RULE = 'must be an array of callers, at least one'
const FILE = z.strictObject({ callers: z.array(CALLER, CALLERS_RULE).min(1, CALLERS_RULE) }, CALLERS_RULE)

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

function problem({ path, message, ...issue }: z.core.$ZodIssue): ApiKeyError {
  const place = path.join('.')
  if (issue.code === 'unrecognized_keys')
    return new ApiKeyError(`${place || 'The file'} has an unknown field, ${quoted(issue.keys[0])}.`)
  return new ApiKeyError(`${place || 'callers'} ${message}.`)
}
