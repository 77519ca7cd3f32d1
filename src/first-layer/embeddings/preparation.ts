import type { Claim } from '../../load/claim.js'

/** Something that needs long work or much memory before a tensor's first element. */
export interface Preparing {
  /** To be called before the first element: does the work in turns, and reserves its memory with the claim. */
  readonly prepare?: ((claim: Claim) => Promise<void>) | undefined
}

/** The preparation for one caller. However often the caller calls it, it runs once. */
export function preparation({ prepare }: Preparing, claim: Claim): (() => Promise<void>) | undefined {
  if (prepare === undefined) return undefined
  let done: Promise<void> | undefined
  return () => {
    done ??= prepare(claim)
    return done
  }
}

/** The preparation of a tensor that is made from two things; undefined where neither needs one. */
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
