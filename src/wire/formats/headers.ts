import type { Answer } from '../../first-layer/answer.js'
import { COUNT_NAMES, COUNTS, type CountName } from '../counts.js'

/** The headers of the counts, as documents write them. */
export const COUNT_HEADERS = {
  num_tokens: 'X-Num-Tokens',
  num_characters: 'X-Num-Characters',
  num_windows: 'X-Num-Windows',
  num_dropped_tokens: 'X-Num-Dropped-Tokens',
  num_truncated_tokens: 'X-Num-Truncated-Tokens',
  num_batches: 'X-Num-Batches',
  num_dropped_windows: 'X-Num-Dropped-Windows',
} as const satisfies Record<CountName, string>

/** The same as Node gives and takes them: `num_tokens` → `x-num-tokens`. */
export const countKeys = Object.fromEntries(
  COUNT_NAMES.map((name) => [name, COUNT_HEADERS[name].toLowerCase()]),
) as Readonly<Record<CountName, string>>

/** The headers about the model, which every answer has. */
export function modelHeaders({ modelVersion }: Answer): Record<string, string> {
  return modelVersion === undefined ? {} : { 'x-model-version': modelVersion }
}

/** The counts as headers of a binary answer, `num_tokens` → `x-num-tokens`, and the model's headers. */
export function countHeaders(answer: Answer): Record<string, string> {
  const headers = modelHeaders(answer)
  const { counts } = answer
  if (counts === undefined) return headers
  for (const name of COUNT_NAMES) {
    const value = counts[COUNTS[name]]
    if (value !== undefined) headers[countKeys[name]] = String(value)
  }
  return headers
}
