import { invalidField } from '../errors.js'
import { MIXTURE_BLOCK, type Mixture, type MixtureStage } from './mixture.js'
import { idOf, type WindowStream } from './recipe.js'
import { checkRecipe, type DatasetRecipe } from './recipe-options.js'

/** Most datasets of a mixture. */
export const MAX_MEMBERS = 64
/** Largest weight: the sum of all stays finite. */
const MAX_WEIGHT = 1e300

/** A dataset of a mixture, by the wire's names. */
export interface MemberFields {
  readonly dataset: unknown
  /** Absent where stages are given. */
  readonly weight?: unknown
}

/**
 * The stages of a mixture: those that are given, or one with the weights of its members, from window 0 on. Where both are
 * given, they must agree at window 0.
 *
 * @throws InletError `invalid_request` that names the field: `mixture.0.weight`, `stages.1.from_window`
 */
export function mixtureStages(
  members: readonly MemberFields[],
  stages?: readonly MixtureStage[],
): readonly MixtureStage[] {
  if (members.length < 1 || members.length > MAX_MEMBERS)
    throw invalidField('mixture', `must have 1 to ${MAX_MEMBERS} datasets`, members)
  if (stages === undefined) {
    const weights = members.map(({ weight }, j) => checkedWeight(weight, `mixture.${j}.weight`))
    return [{ from_window: 0, weights }]
  }
  if (stages.length === 0) throw invalidField('stages', 'must not be empty', stages)
  for (const [j, { weight }] of members.entries()) {
    if (weight === undefined || weight === stages[0].weights[j]) continue
    throw invalidField(`mixture.${j}.weight`, 'must be that of the first stage, or left out', weight)
  }
  for (const [s, { from_window: from, weights }] of stages.entries()) {
    const refuse = (rule: string) => invalidField(`stages.${s}.from_window`, rule, from)
    if (s === 0 && from !== 0) throw refuse('must be 0 in the first stage')
    if (!Number.isSafeInteger(from) || from % MIXTURE_BLOCK !== 0)
      throw refuse(`must be a multiple of ${MIXTURE_BLOCK}`)
    const before = stages[s - 1]?.from_window ?? -1
    if (from <= before) throw refuse(`must be above that of the stage before, ${before}`)
    const rule = `must have one weight for each of the ${members.length} datasets`
    if (weights.length !== members.length) throw invalidField(`stages.${s}.weights`, rule, weights)
    for (const [j, weight] of weights.entries()) checkedWeight(weight, `stages.${s}.weights.${j}`)
  }
  return stages
}

function checkedWeight(weight: unknown, path: string): number {
  if (typeof weight === 'number' && weight > 0 && weight <= MAX_WEIGHT) return weight
  throw invalidField(path, `must be a number above 0 and at most ${MAX_WEIGHT}`, weight)
}

/** 26 letters of all that a mixture is made of. @param datasets their ids, in order */
export function mixtureContentId(datasets: readonly string[], stages: readonly MixtureStage[]): string {
  return idOf([datasets, stages.map(({ from_window, weights }) => [from_window, weights])])
}

/** Places of a stream: the number of a block has 32 bits. */
const MAX_PLACES = 2 ** 32 * MIXTURE_BLOCK

/**
 * Checks a recipe for a mixture.
 *
 * @throws InletError `invalid_request` as `checkRecipe`, and for a field that an endless stream cannot have
 */
export function checkMixtureRecipe(options: DatasetRecipe, padTokenId?: number): DatasetRecipe {
  const checked = checkRecipe(options, padTokenId)
  const { shuffle, sharding, drop_last, epoch } = checked
  const refuse = (field: keyof DatasetRecipe, rule: string): never => {
    throw invalidField(field, `must be ${rule} for a mixture, whose stream does not end`, options[field])
  }
  if (shuffle === 'true') refuse('shuffle', 'index or false')
  if (epoch !== 0) refuse('epoch', '0')
  if (drop_last) refuse('drop_last', 'false')
  if (sharding === 'distributed_sampler') refuse('sharding', 'global_batch')
  return checked
}

/** Batches of a mixture: its stream ends where the numbers of its blocks do. */
export function mixtureBatches({ batch_size }: DatasetRecipe): number {
  return Math.floor(MAX_PLACES / batch_size)
}

export function mixtureStream(mixture: Mixture, recipe: DatasetRecipe): WindowStream {
  return { length: MAX_PLACES, numBatches: mixtureBatches(recipe), at: (place) => mixture.at(place) }
}
