import { InletError, invalidField } from '../../first-layer/errors.js'
import { Documents } from '../../first-layer/windows/documents.js'
import { type Claim, turn } from '../../service/process/turn.js'

/**
 * Documents cut to the ids that a mask of their form keeps: `[5, 6, 0]` under `[1, 1, 0]` → `[5, 6]`.
 *
 * @throws InletError as {@link keptOf}
 */
export async function maskedDocuments(
  documents: Documents,
  mask: Documents,
  claim: Claim,
): Promise<Documents> {
  const { longest, totalTokens, count } = documents
  await claim.take(Int32Array.BYTES_PER_ELEMENT * (2 * longest + totalTokens))
  const [row, bits] = [new Int32Array(longest), new Int32Array(longest)]
  const masked = new Documents()
  for (let d = 0; d < count; d++) {
    await turn(claim)
    const length = documents.length(d)
    documents.copyTo(row, 0, d, 0, length)
    mask.copyTo(bits, 0, d, 0, length)
    masked.ids.append(row.subarray(0, keptOf(bits.subarray(0, length), `attention_mask.${d}`)))
    masked.endDocument()
  }
  return masked
}

/**
 * How many ids a row of a mask keeps: ones, then zeros.
 *
 * @throws InletError `invalid_request` for another number, and for a 1 behind a 0; `empty_input` for zeros only
 */
function keptOf(bits: Int32Array, field: string): number {
  const end = bits.findIndex((bit) => bit !== 1)
  const kept = end < 0 ? bits.length : end
  const wrong = bits.findIndex((bit, i) => i >= kept && bit !== 0)
  if (wrong >= 0) {
    const isOne = bits[wrong] === 1
    const rule = isOne ? 'must be 0: only ids at the end of a row can be masked' : 'must be 0 or 1'
    throw invalidField(`${field}.${wrong}`, rule, bits[wrong])
  }
  if (kept > 0) return kept
  throw new InletError('empty_input', `\`${field}\` must keep an id. Given: zeros only`, field)
}
