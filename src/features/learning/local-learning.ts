import type { Keeper } from '../../service/models/keeper/keeper.js'
import { Learners } from './learners.js'
import { Learning } from './learning.js'
import { localLearners } from './remote-learners.js'

/** Learning in a process of one thread, as tests have it. */
export function localLearning(keeper: Keeper): Learning {
  const learning = new Learning(keeper.learning, localLearners(new Learners()))
  keeper.endLearning = (id) => learning.forget(id)
  return learning
}
