import { Learning } from '../../../src/features/learning/learning.js'
import { TrainerPool } from '../../../src/features/learning/trainer-pool.js'
import type { Keeper } from '../../../src/service/models/keeper/keeper.js'
import { type Remote, remote } from '../../../src/service/threads/channel.js'

type Trainers = Remote<TrainerPool>

/** Learning in a process of one thread. @param change makes methods that replace the trainers' methods */
export function learningHere(
  keeper: Keeper,
  change: (trainers: Trainers) => Partial<Trainers> = () => ({}),
): Learning {
  const own = new TrainerPool()
  const called = async (from: object, method: string, args: readonly unknown[]) =>
    (from as Record<string, (...given: readonly unknown[]) => unknown>)[method]!(...args)
  const changed = change(remote((method, args) => called(own, method, args)))
  const trainers: Trainers = remote((method, args) => called(method in changed ? changed : own, method, args))
  const log = { debug() {}, info() {}, error() {} }
  return new Learning(keeper, trainers, { log, count() {}, folders: undefined, stored: [] })
}
