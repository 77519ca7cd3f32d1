/**
 * Long work yields {@link PAUSE} where it may pause, less than a millisecond apart; a number above 0 before it takes so
 * many bytes of memory, and one below 0 after it has given so many back. Who runs it may stop at any of them.
 */
export type Step = number

export type Steps<Result> = Generator<Step, Result, void>

/** The work may pause here. */
export const PAUSE = 0

/** Runs the steps one after the other, without a pause. */
export function run<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
