import { InletError, invalidField, quoted } from '../../first-layer/errors.js'
import { Documents } from '../../first-layer/windows/documents.js'
import type { Claim } from '../../service/process/turn.js'
import { turn } from '../../service/process/turn.js'

/** Numbers read at a time: some hundredths of a millisecond. */
const STEP = 8192
const numbers = new Int32Array(STEP)

/**
 * How many ids of each row a mask keeps: rows of ones, then zeros.
 *
 * @throws InletError `invalid_request` for another number, and for a 1 behind a 0; `empty_input` for a row of zeros
 */
export async function keptLengths(mask: Documents, claim: Claim): Promise<readonly number[]> {
  const lengths: number[] = []
  for (let d = 0; d < mask.count; d++) {
    const length = mask.length(d)
    let kept = 0
    for (let at = 0; at < length; at += STEP) {
      await turn(claim)
      const part = numbers.subarray(0, Math.min(STEP, length - at))
      mask.copyTo(part, 0, d, at, part.length)
      for (let i = 0; i < part.length; i++) {
        const bit = part[i]
        if (bit === 1 && kept === at + i) kept++
        else if (bit !== 0) {
          const rule = bit === 1 ? 'must be 0: only ids at the end of a row can be masked' : 'must be 0 or 1'
          throw invalidField(`attention_mask.${d}.${at + i}`, rule, bit)
        }
      }
    }
    if (kept === 0) {
      const field = `attention_mask.${d}`
      throw new InletError('empty_input', `${quoted(field)} must keep an id. Given: zeros only`, field)
    }
    lengths.push(kept)
  }
  return lengths
}

/** Documents cut to the first ids of each: `[5, 6, 0]` to 2 → `[5, 6]`. */
export async function maskedDocuments(
  documents: Documents,
  lengths: readonly number[],
  claim: Claim,
): Promise<Documents> {
  await claim.take(4 * lengths.reduce((sum, length) => sum + length, 0)) // bytes of the copy
  const masked = new Documents()
  for (const [d, length] of lengths.entries()) {
    for (let at = 0; at < length; at += STEP) {
      await turn(claim)
      const part = numbers.subarray(0, Math.min(STEP, length - at))
      documents.copyTo(part, 0, d, at, part.length)
      masked.ids.append(part)
    }
    masked.endDocument()
  }
  return masked
}
