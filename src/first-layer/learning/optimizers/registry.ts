import { adagrad } from './adagrad.js'
import { adam, adamw } from './adam.js'
import type { AnyOptimizerLaw } from './optimizer.js'
import { sgd } from './sgd.js'
import { sparseAdam } from './sparse-adam.js'

/** The optimizers by their `type`. */
export const OPTIMIZERS: Readonly<Record<string, AnyOptimizerLaw>> = {
  sgd,
  adagrad,
  adam,
  adamw,
  sparse_adam: sparseAdam,
}
