import { drawPermutation, type TorchPermutation } from '../../first-layer/datasets/orders.js'
import type { PackingRule } from '../../first-layer/datasets/recipe-options.js'
import type { TokenMask } from '../../first-layer/datasets/token-mask.js'
import { windowIndex } from '../../first-layer/datasets/window-index.js'
import { sharedFloat32Array, sharedInt32Array } from '../../first-layer/memory.js'
import { type Drawing, drawTables } from '../../first-layer/random/drawn.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { StoredBounds } from '../../first-layer/windows/documents.js'
import type { Claim } from './turn.js'
import { WorkThread } from './work-thread.js'

/** Plain functions that cannot be cut into slices: what they return is in shared memory. */
export const calculations = {
  drawPermutation: (permutation: TorchPermutation) => drawPermutation(permutation, sharedInt32Array),
  drawTables: (drawing: Drawing) => drawTables(drawing, sharedFloat32Array),
  windowIndex: (starts: Float64Array, longest: number, rule: PackingRule, mask?: TokenMask) =>
    windowIndex(new StoredBounds(starts, longest), rule, mask),
}

/** Windows that are shuffled, or documents whose windows are counted, in some milliseconds: here, without a thread. */
export const FEW = 200_000

/** Each serving thread's own: its first call starts it (`calculate.ts`). */
export const calculator = new WorkThread<typeof calculations>('calculate.js')

/**
 * Calls one of them in a thread of its own. If the claim is aborted meanwhile, the wait ends, and the claim's bytes stay
 * reserved until the call has ended.
 */
export function calculate<Result>(
  claim: Claim,
  call: (work: typeof calculator.work) => Promise<Result>,
): Promise<Result> {
  const working = call(calculator.work)
  claim.outlast(working)
  return waitWithin(working, { claim })
}
