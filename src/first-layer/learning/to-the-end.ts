import type { Step, Steps } from '../steps.js'

/**
 * Runs work that must not stop half-way: an error that is thrown into it at a step, as when its caller has gone, is thrown
 * again when it is done.
 */
export function* toTheEnd<Result>(work: Steps<Result>): Steps<Result> {
  let ended: { readonly error: unknown } | undefined
  let next: IteratorResult<Step, Result> = work.next()
  while (!next.done) {
    try {
      yield next.value
    } catch (error) {
      ended ??= { error }
    }
    next = work.next()
  }
  if (ended !== undefined) throw ended.error
  return next.value
}
