import { z } from 'zod'
import { quoted } from '../errors.js'
import { isModelId } from '../models/cards/model-id.js'
import { type ApiKey, ApiKeyError, digestOf, distinct, KEY, NAME } from './api-keys.js'

/** A rate's range: from one in a quarter of an hour to more than any machine can serve. */
const RATE = z.number().min(0.001).max(1e12)
const QUOTA = z.int().min(1).max(1e15)

const CALLER = z.strictObject({
  name: z.string().regex(NAME),
  key: z.string().regex(KEY),
  requests_per_second: RATE.optional(),
  burst: z.int().min(1).max(1e9).optional(),
  bytes_per_second: RATE.min(1).optional(),
  tokens_per_second: RATE.min(1).optional(),
  tokens_per_day: QUOTA.optional(),
  models: z.array(z.string().refine(isModelId)).min(1).optional(),
  admin: z.boolean().optional(),
})

const FILE = z.strictObject({ callers: z.array(CALLER).min(1) })

/** Field → its rule. No rule shows the value given: it could be a key. */
const RULES: Readonly<Record<string, string>> = {
  callers: 'must be an array of callers, at least one',
  name: 'must be 1 to 64 letters, digits, "_", "." or "-"',
  key: 'must be visible ASCII, at least one character',
  requests_per_second: 'must be a number from 0.001 to 1e12',
  burst: 'must be an integer from 1 to 1e9',
  bytes_per_second: 'must be a number from 1 to 1e12',
  tokens_per_second: 'must be a number from 1 to 1e12',
  tokens_per_day: 'must be an integer from 1 to 1e15',
  models: 'must be an array of models’ ids, at least one',
  admin: 'must be true or false',
}

/**
 * Parses a file of callers and what each may use.
 *
 * `{ "callers": [{ "name": "ci", "key": "…", "requests_per_second": 100, "models": ["default"] }] }` → one key
 *
 * @throws ApiKeyError that names the place and the rule, and shows no value
 */
export function parseCallersFile(text: string): readonly ApiKey[] {
  const result = FILE.safeParse(json(text))
  if (!result.success) throw problem(result.error.issues[0])
  return distinct(
    result.data.callers.map((given, i) => {
      if (given.burst !== undefined && given.requests_per_second === undefined) {
        throw new ApiKeyError(`callers.${i}.burst needs requests_per_second.`)
      }
      return {
        name: given.name,
        digest: digestOf(given.key),
        admin: given.admin,
        models: given.models,
        limits: {
          requestsPerSecond: given.requests_per_second,
          burst: given.burst,
          bytesPerSecond: given.bytes_per_second,
          tokensPerSecond: given.tokens_per_second,
          tokensPerDay: given.tokens_per_day,
        },
      }
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
  return new ApiKeyError(`${place || 'callers'} ${RULES[String(field ?? 'callers')]}.`)
}
