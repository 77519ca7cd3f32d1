import type { EmbedEdge } from '../../first-layer/embed.js'
import { type LoaderRule, loaderOrder } from '../../first-layer/windows/batch.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { calculate, FEW } from '../process/calculator.js'
import type { Claim } from '../process/claim.js'
import { turn } from '../process/turn.js'
import { Reservation } from './load/request-claim.js'

/** Documents whose running count of windows is reserved. */
const MANY_DOCUMENTS = 4096

/** The edge of a request's work: turns, and the memory of its claim. @param told with all ids, and the milliseconds that they took */
export function edgeOf(claim: Claim, told?: (documents: Documents, milliseconds: number) => void): EmbedEdge {
  const room = new Reservation(claim)
  return {
    stop: claim,
    between: (bytes = 0) => room.reach(bytes)?.then(() => turn(claim)) ?? turn(claim),
    settle: (bytes) => room.settle(bytes),
    hasIds(documents, milliseconds) {
      told?.(documents, milliseconds)
      if (documents.count <= MANY_DOCUMENTS) return undefined
      return claim.take(Float64Array.BYTES_PER_ELEMENT * documents.count)
    },
    order: (count, rule) => loaderOrderOf(count, rule, claim),
  }
}

/** The order of windows under a rule, whose memory is reserved; a long shuffle is drawn in another thread. @see loaderOrder */
export async function loaderOrderOf(
  count: number,
  rule: LoaderRule,
  claim: Claim,
): Promise<Int32Array | undefined> {
  const { shuffle, seed, epoch } = rule
  if (!shuffle || seed === undefined) return undefined
  await claim.take(Int32Array.BYTES_PER_ELEMENT * count)
  if (count <= FEW) return loaderOrder(count, rule)
  return calculate(claim, (work) => work.drawPermutation({ law: 'loader', count, seed, epoch }))
}
