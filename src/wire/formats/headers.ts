import { type Answer, countFields } from '../answer.js'

/** The counts as headers of a binary answer: `num_tokens` → `x-num-tokens`. */
export function countHeaders(answer: Answer): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of countFields(answer.counts)) {
    headers[`x-${name.replaceAll('_', '-')}`] = String(value)
  }
  return headers
}
