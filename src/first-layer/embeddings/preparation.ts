import type { Steps } from '../steps.js'

/** Something that needs long work or much memory before a tensor's first element. */
export interface Preparing {
  /** Does the work, and reserves its memory. Run it before the first element. */
  readonly prepare?: (() => Steps<void>) | undefined
}

/** The preparation for one caller. However often the caller runs it, its work is done once. */
export function preparation({ prepare }: Preparing): Preparing['prepare'] {
  if (prepare === undefined) return undefined
  let isDone = false
  return function* () {
    if (isDone) return
    yield* prepare()
    isDone = true
  }
}

/** The preparation of a tensor that is made from two things; undefined where neither needs one. */
export function bothPrepare(
  first: Preparing | undefined,
  second: Preparing | undefined,
): Preparing['prepare'] {
  if (first?.prepare === undefined) return second?.prepare
  if (second?.prepare === undefined) return first.prepare
  const [one, other] = [first.prepare, second.prepare]
  return function* () {
    yield* one()
    yield* other()
  }
}
