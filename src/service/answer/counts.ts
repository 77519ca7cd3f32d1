import { type Answer, COUNT_NAMES, COUNTS, type CountName } from '../../first-layer/answer.js'

/** The headers of the counts, as documents write them: `num_tokens` → `X-Num-Tokens`. */
export const COUNT_HEADERS = Object.fromEntries(
  COUNT_NAMES.map((name) => [name, `X-${name}`.replace(/[-_]./g, (at) => `-${at[1].toUpperCase()}`)]),
) as Readonly<Record<CountName, string>>

/** The same as Node gives and takes them: `num_tokens` → `x-num-tokens`. */
export const countKeys = Object.fromEntries(
  COUNT_NAMES.map((name) => [name, COUNT_HEADERS[name].toLowerCase()]),
) as Readonly<Record<CountName, string>>

const MODEL_VERSION = 'x-model-version'

const HEADERS = COUNT_NAMES.map((name) => ({ header: countKeys[name], count: COUNTS[name] }))

/**
 * The counts as headers of a binary answer, `num_tokens` → `x-num-tokens`, and the model's headers.
 * @param headers earlier headers; the counts are added to them
 */
export function countHeaders(answer: Answer, headers: Record<string, string> = {}): Record<string, string> {
  const { counts, modelVersion } = answer
  if (modelVersion !== undefined) headers[MODEL_VERSION] = modelVersion
  if (counts === undefined) return headers
  for (const { header, count } of HEADERS) {
    const value = counts[count]
    if (value !== undefined) headers[header] = String(value)
  }
  return headers
}
