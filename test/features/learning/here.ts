import { Learners } from '../../../src/features/learning/learners.js'
import { Learning } from '../../../src/features/learning/learning.js'
import type { Keeper } from '../../../src/service/models/keeper/keeper.js'
import { type Remote, remote } from '../../../src/service/threads/channel.js'

/** Learners that work in the calling thread. @param change makes methods that stand in the place of theirs */
export function learnersHere(
  change: (learners: Remote<Learners>) => Partial<Remote<Learners>> = () => ({}),
): Remote<Learners> {
  const own = new Learners()
  const called = async (from: object, method: string, args: readonly unknown[]) =>
    (from as Record<string, (...given: readonly unknown[]) => unknown>)[method]!(...args)
  const changed = change(remote((method, args) => called(own, method, args)))
  return remote((method, args) => called(method in changed ? changed : own, method, args))
}

/** Learning in a process of one thread. */
export function learningHere(keeper: Keeper): Learning {
  return new Learning(keeper, learnersHere())
}
