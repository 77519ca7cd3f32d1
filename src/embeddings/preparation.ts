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
