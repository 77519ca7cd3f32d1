import { Learning } from '../../../src/features/learning/learning.js'
import { TrainerPool } from '../../../src/features/learning/trainer-pool.js'
import type { Keeper } from '../../../src/service/models/keeper/keeper.js'
import { remote } from '../../../src/service/process/channel.js'

/** Learning in a process of one thread. */
export function learningHere(keeper: Keeper): Learning {
  const pool = new TrainerPool() as unknown as Record<string, (...args: readonly unknown[]) => unknown>
  const trainers = remote<TrainerPool>(async (method, args) => pool[method]!(...args))
  const log = { debug() {}, info() {}, error() {} }
  return new Learning(keeper, trainers, { log, count() {} })
}
