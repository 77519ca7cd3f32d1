import { InletError, quoted } from '../errors.js'
import type { Pooling } from '../first-layer/pooling/pooling.js'
import type { EmbeddingIds } from './embedding-ids.js'

/** What a request wants done with a text that is too long: nothing but an error, or its first or last ids cut off. */
export type AskedCut = 'none' | 'start' | 'end'

/** A model's pooling with the cut that a request asks for. @param most ids of a text, if the request says */
export function truncatedPooling(pooling: Pooling, cut: AskedCut, most?: number): Pooling {
  const { keepsLast: _, medianTokenLength, ...rest } = pooling
  if (cut === 'none') return { ...rest, maxLength: null }
  const maxLength = longest(pooling, most)
  // Model2Vec's first cut, by characters, keeps the first ones.
  if (cut === 'start') return { ...rest, maxLength, keepsLast: true }
  return { ...rest, maxLength, ...(medianTokenLength !== undefined && { medianTokenLength }) }
}

/**
 * Refuses texts with more ids than the model takes, where none is to be cut.
 *
 * @param field of the texts
 * @throws InletError `context_too_long`
 */
export function checkLengths(ids: EmbeddingIds, pooling: Pooling, field: string, most?: number): void {
  const limit = longest(pooling, most) ?? Number.POSITIVE_INFINITY
  for (let d = 0; d < ids.count; d++) {
    const length = ids.length(d)
    if (length <= limit) continue
    const param = `${field}.${d}`
    const message = `${quoted(param)} must have at most ${limit} tokens where none is cut off. Given: ${length}`
    throw new InletError('context_too_long', message, param)
  }
}

function longest({ maxLength }: Pooling, most = Number.POSITIVE_INFINITY): number | null {
  const least = Math.min(maxLength ?? Number.POSITIVE_INFINITY, most)
  return least === Number.POSITIVE_INFINITY ? null : least
}
