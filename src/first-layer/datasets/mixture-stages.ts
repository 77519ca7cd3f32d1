import { createHash } from 'node:crypto'
import { InletError, quoted, shown } from '../errors.js'
import { MIXTURE_BLOCK, type MixtureStage } from './mixture.js'
import { contentId } from './recipe.js'

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
  if (members.length < 1 || members.length > MAX_MEMBERS) {
    throw refused('mixture', `must have 1 to ${MAX_MEMBERS} datasets`, members)
  }
  if (stages === undefined) {
    const weights = members.map(({ weight }, j) => checkedWeight(weight, `mixture.${j}.weight`))
    return [{ fromWindow: 0, weights }]
  }
  if (stages.length === 0) throw refused('stages', 'must not be empty', stages)
  for (const [j, { weight }] of members.entries()) {
    if (weight === undefined || weight === stages[0]!.weights[j]) continue
    throw refused(`mixture.${j}.weight`, 'must be that of the first stage, or left out', weight)
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
  if (before === undefined && fromWindow !== 0) {
    throw refused(`${path}.from_window`, 'must be 0 in the first stage', fromWindow)
  }
  if (!Number.isSafeInteger(fromWindow) || fromWindow % MIXTURE_BLOCK !== 0) {
    throw refused(`${path}.from_window`, `must be a multiple of ${MIXTURE_BLOCK}`, fromWindow)
  }
  if (before !== undefined && fromWindow <= before) {
    throw refused(`${path}.from_window`, `must be above that of the stage before, ${before}`, fromWindow)
  }
  if (weights.length !== numMembers) {
    throw refused(`${path}.weights`, `must have one weight for each of the ${numMembers} datasets`, weights)
  }
  return { fromWindow, weights: weights.map((weight, j) => checkedWeight(weight, `${path}.weights.${j}`)) }
}

function checkedWeight(weight: unknown, path: string): number {
  if (typeof weight === 'number' && weight > 0 && weight <= MAX_WEIGHT) return weight
  throw refused(path, `must be a number above 0 and at most ${MAX_WEIGHT}`, weight)
}

function refused(path: string, rule: string, given: unknown): InletError {
  return new InletError('invalid_request', `${quoted(path)} ${rule}. Given: ${shown(given)}`, path)
}

/** 26 letters of all that a mixture is made of. @param datasets their ids, in order */
export function mixtureContentId(datasets: readonly string[], stages: readonly MixtureStage[]): string {
  const content = [datasets, stages.map(({ fromWindow, weights }) => [fromWindow, weights])]
  return contentId(createHash('sha256').update(JSON.stringify(content)).digest())
}
