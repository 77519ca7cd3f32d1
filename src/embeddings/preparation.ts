import type { Claim } from '../load/claim.js'

/** What a tensor is made from, where that takes long or much memory to have. */
export interface Preparing {
  /** Comes before the first element: in turns, from memory that is reserved. */
  readonly prepare?: ((claim: Claim) => Promise<void>) | undefined
}

/** The preparation for one caller: done once, however often it is asked for. */
export function preparation({ prepare }: Preparing, claim: Claim): (() => Promise<void>) | undefined {
  if (prepare === undefined) return undefined
  let done: Promise<void> | undefined
  return () => {
    done ??= prepare(claim)
    return done
  }
}

/** The preparation of a tensor that two things go into; undefined where neither needs one. */
export function bothPrepare(
  first: Preparing | undefined,
  second: Preparing | undefined,
): Preparing['prepare'] {
  if (first?.prepare === undefined) return second?.prepare
  if (second?.prepare === undefined) return first.prepare
  return async (claim) => {
    await first.prepare?.(claim)
    await second.prepare?.(claim)
  }
}
