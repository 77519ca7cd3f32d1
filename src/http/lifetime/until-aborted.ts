import type { Claim } from '../../load/claim.js'

/** The result of `work`. Rejects at once when the claim is aborted; the work itself goes on. */
export function untilAborted<Result>(claim: Claim, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const forget = claim.onAbort((error) => reject(error))
    work.then(resolve, reject).finally(forget)
  })
}
