import { InletError, invalidField } from '../../first-layer/errors.js'
import { Documents } from '../../first-layer/windows/documents.js'
import { type Claim, turn } from '../../service/process/turn.js'

/** The elements of each row, valid until the next one is asked for. */
async function* rowsOf(documents: Documents, claim: Claim): AsyncGenerator<Int32Array, void, void> {
  await claim.take(Int32Array.BYTES_PER_ELEMENT * documents.longest)
  const room = new Int32Array(documents.longest)
  for (let d = 0; d < documents.count; d++) {
    await turn(claim)
    const row = room.subarray(0, documents.length(d))
    documents.copyTo(row, 0, d, 0, row.length)
    yield row
  }
}

/**
 * How many ids of each row a mask keeps: rows of ones, then zeros.
 *
 * @throws InletError `invalid_request` for another number, and for a 1 behind a 0; `empty_input` for a row of zeros
 */
export async function keptLengths(mask: Documents, claim: Claim): Promise<readonly number[]> {
  const lengths: number[] = []
  for await (const row of rowsOf(mask, claim)) {
    const field = `attention_mask.${lengths.length}`
    const end = row.findIndex((bit) => bit !== 1)
    const kept = end < 0 ? row.length : end
    const wrong = row.findIndex((bit, i) => i >= kept && bit !== 0)
    if (wrong >= 0) {
      const isOne = row[wrong] === 1
      const rule = isOne ? 'must be 0: only ids at the end of a row can be masked' : 'must be 0 or 1'
      throw invalidField(`${field}.${wrong}`, rule, row[wrong])
    }
    if (kept === 0)
      throw new InletError('empty_input', `\`${field}\` must keep an id. Given: zeros only`, field)
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
  for await (const row of rowsOf(documents, claim)) {
    masked.ids.append(row.subarray(0, lengths[masked.count]))
    masked.endDocument()
  }
  return masked
}
