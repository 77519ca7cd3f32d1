import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { GrowingIds } from '../../first-layer/tokens/token-buffer.js'
import { Documents } from '../../first-layer/windows/documents.js'
import { InletError, quoted } from '../../service/answer/error-table.js'

/** Numbers read at a time: some hundredths of a millisecond. */
const STEP = 8192
const numbers = new Int32Array(STEP)

/**
 * Documents without the ids that a mask hides: `[5, 6, 0]` under `[1, 1, 0]` → `[5, 6]`. Both have the same form.
 *
 * @throws InletError as {@link keptLengths}
 */
export function* maskedDocuments(documents: Documents, lengths: readonly number[]): Steps<Documents> {
  const growing = new GrowingIds()
  const masked = new Documents(growing.ids)
  for (const [d, length] of lengths.entries()) {
    for (let at = 0; at < length; at += STEP) {
      yield PAUSE
      const count = Math.min(STEP, length - at)
      yield growing.makeRoom(count)
      const part = numbers.subarray(0, count)
      documents.copyTo(part, 0, d, at, count)
      growing.ids.append(part)
    }
    masked.endDocument()
  }
  yield -growing.settle()
  return masked
}

/**
 * How many ids of each row a mask keeps: rows of ones, then zeros.
 *
 * @throws InletError `invalid_request` for another number, and for a 1 behind a 0; `empty_input` for a row of zeros
 */
export function* keptLengths(mask: Documents): Steps<readonly number[]> {
  const lengths: number[] = []
  for (let d = 0; d < mask.count; d++) {
    const length = mask.length(d)
    let kept = 0
    for (let at = 0; at < length; at += STEP) {
      yield PAUSE
      const part = numbers.subarray(0, Math.min(STEP, length - at))
      mask.copyTo(part, 0, d, at, part.length)
      for (let i = 0; i < part.length; i++) {
        const bit = part[i]!
        if (bit === 1 && kept === at + i) kept++
        else if (bit !== 0) throw notAMask(`attention_mask.${d}.${at + i}`, bit)
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

function notAMask(field: string, given: number): InletError {
  const rule = given === 1 ? 'must be 0: only ids at the end of a row can be masked' : 'must be 0 or 1'
  return new InletError('invalid_request', `${quoted(field)} ${rule}. Given: ${given}`, field)
}
