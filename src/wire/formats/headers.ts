import { type Answer, countFields } from '../answer.js'

/** The counts as headers of a binary answer: `num_tokens` → `x-num-tokens`. */
export function countHeaders(answer: Answer): Record<string, string> {
  const entries = countFields(answer.counts).map(([name, value]) => [
    `x-${name.replaceAll('_', '-')}`,
    String(value),
  ])
  return Object.fromEntries(entries)
}
