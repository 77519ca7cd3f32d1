import { createHash } from 'node:crypto'
import { InletError, invalidField } from '../errors.js'
import { MIXTURE_BLOCK, Mixture, type MixtureStage, type StageShares } from './mixture.js'
import { contentId, type DatasetRecipe, type WindowStream } from './recipe.js'
import { type CheckedRecipe, checkRecipe, type RecipeFields } from './recipe-options.js'
import type { SegmentedWindows } from './segments.js'

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

/** A stage by the wire's names. */
export interface StageFields {
  readonly from_window: number
  readonly weights: readonly number[]
}

/**
 * Reads the weights of a mixture: those of its members, from window 0 on, or those of its stages. Where both are given,
 * they must agree at window 0.
 *
 * @throws InletError `invalid_request` that names the field: `mixture.0.weight`, `stages.1.from_window`
 */
export function mixtureStages(
  members: readonly MemberFields[],
  stages?: readonly StageFields[],
): readonly MixtureStage[] {
  if (members.length < 1 || members.length > MAX_MEMBERS)
    throw invalidField('mixture', `must have 1 to ${MAX_MEMBERS} datasets`, members)
  if (stages === undefined) {
    const weights = members.map(({ weight }, j) => checkedWeight(weight, `mixture.${j}.weight`))
    return [{ fromWindow: 0, weights }]
  }
  if (stages.length === 0) throw invalidField('stages', 'must not be empty', stages)
  for (const [j, { weight }] of members.entries()) {
    if (weight === undefined || weight === stages[0].weights[j]) continue
    throw invalidField(`mixture.${j}.weight`, 'must be that of the first stage, or left out', weight)
  }
  return stages.map((stage, s) => checkedStage(stage, s, stages[s - 1]?.from_window, members.length))
}

function checkedStage(
  { from_window: fromWindow, weights }: StageFields,
  s: number,
  before: number | undefined,
  numMembers: number,
): MixtureStage {
  const path = `stages.${s}`
  if (before === undefined && fromWindow !== 0)
    throw invalidField(`${path}.from_window`, 'must be 0 in the first stage', fromWindow)
  if (!Number.isSafeInteger(fromWindow) || fromWindow % MIXTURE_BLOCK !== 0)
    throw invalidField(`${path}.from_window`, `must be a multiple of ${MIXTURE_BLOCK}`, fromWindow)
  if (before !== undefined && fromWindow <= before)
    throw invalidField(`${path}.from_window`, `must be above that of the stage before, ${before}`, fromWindow)
  if (weights.length !== numMembers)
    throw invalidField(
      `${path}.weights`,
      `must have one weight for each of the ${numMembers} datasets`,
      weights,
    )
  return { fromWindow, weights: weights.map((weight, j) => checkedWeight(weight, `${path}.weights.${j}`)) }
}

function checkedWeight(weight: unknown, path: string): number {
  if (typeof weight === 'number' && weight > 0 && weight <= MAX_WEIGHT) return weight
  throw invalidField(path, `must be a number above 0 and at most ${MAX_WEIGHT}`, weight)
}

/** 26 letters of all that a mixture is made of. @param datasets their ids, in order */
export function mixtureContentId(datasets: readonly string[], stages: readonly MixtureStage[]): string {
  const content = [datasets, stages.map(({ fromWindow, weights }) => [fromWindow, weights])]
  return contentId(createHash('sha256').update(JSON.stringify(content)).digest())
}

/** Places of a stream: the number of a block has 32 bits. */
const MAX_PLACES = 2 ** 32 * MIXTURE_BLOCK

/**
 * Checks a recipe for a mixture.
 *
 * @throws InletError `invalid_request` as `checkRecipe`, and for a field that an endless stream cannot have
 */
export function checkMixtureRecipe(options: RecipeFields, padTokenId?: number): CheckedRecipe {
  const checked = checkRecipe(options, padTokenId)
  const { shuffle, sharding, drop_last } = checked.recipe
  const refuse = (field: keyof RecipeFields, rule: string): never => {
    throw invalidField(field, `must be ${rule} for a mixture, whose stream does not end`, options[field])
  }
  if (shuffle === 'true') refuse('shuffle', 'index or false')
  if (checked.range.epoch !== 0) refuse('epoch', '0')
  if (drop_last) refuse('drop_last', 'false')
  if (sharding === 'distributed_sampler') refuse('sharding', 'global_batch')
  return checked
}

/**
 * The stream of a mixture under a recipe. `seed` has no effect where `shuffle` is `false`.
 *
 * @throws InletError `no_windows` for a dataset that gives no window
 */
export function openMixture(
  stages: readonly StageShares[],
  windows: readonly Pick<SegmentedWindows, 'count'>[],
  { context_length, shuffle = 'false', seed = 0n }: DatasetRecipe,
): Mixture {
  const empty = windows.findIndex(({ count }) => count === 0)
  if (empty >= 0) {
    const message = `\`context_length\` ${context_length} must be such that each dataset of the mixture has a window. Given: dataset ${empty}, without one`
    throw new InletError('no_windows', message, 'context_length')
  }
  const counts = windows.map(({ count }) => count)
  const shuffles = shuffle !== 'false'
  return new Mixture(stages, counts, shuffles ? seed : 0n, shuffles)
}

/** Batches of a mixture: its stream ends where the numbers of its blocks do. */
export function mixtureBatches({ batch_size }: DatasetRecipe): number {
  return Math.floor(MAX_PLACES / batch_size)
}

export function mixtureStream(mixture: Mixture, recipe: DatasetRecipe): WindowStream {
  return { length: MAX_PLACES, numBatches: mixtureBatches(recipe), at: (place) => mixture.at(place) }
}
