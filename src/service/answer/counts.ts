import type { Counts } from '../../first-layer/answer.js'

export const COUNTS = {
  num_tokens: 'numTokens',
  num_characters: 'numCharacters',
  num_windows: 'numWindows',
  num_dropped_tokens: 'numDroppedTokens',
  num_truncated_tokens: 'numTruncatedTokens',
  num_batches: 'numBatches',
  num_dropped_windows: 'numDroppedWindows',
} as const satisfies Record<string, keyof Counts>

export type CountName = keyof typeof COUNTS

/** The wire names of the counts, in wire order. */
export const COUNT_NAMES = Object.keys(COUNTS) as CountName[]

/** The counts under their wire names, in wire order; what is absent is left out. */
export function countFields(counts: Counts | undefined): [name: CountName, value: number][] {
  const fields: [CountName, number][] = []
  if (counts === undefined) return fields
  for (const name of COUNT_NAMES) {
    const value = counts[COUNTS[name]]
    if (value !== undefined) fields.push([name, value])
  }
  return fields
}
