import { InletError } from '../errors.js'
import { ALL_OUTPUTS, COMMON_OUTPUTS, checkOutputNames, ROW_OUTPUTS } from '../outputs.js'
import { ID_OUTPUTS, MASK_OUTPUTS } from '../windows/batch.js'
import { canPad, type DatasetRecipe } from './recipe-options.js'

/** The tensors that datasets have beside those of every batch. */
export const SEGMENT_OUTPUTS = ['segment_ids', 'cu_seq_lens', ...MASK_OUTPUTS, 'dataset_index'] as const

/** The tensors of a dataset's batch that every scheme has. */
export const DATASET_OUTPUTS: readonly string[] = [...COMMON_OUTPUTS, ...SEGMENT_OUTPUTS]

/** Every name that the `outputs` of a dataset's batch can have under some scheme. */
export const ALL_DATASET_OUTPUTS: readonly string[] = [...new Set([...DATASET_OUTPUTS, ...ALL_OUTPUTS])]

export const WITHOUT_MODEL: readonly string[] = [...ID_OUTPUTS, ...SEGMENT_OUTPUTS]

/** Whether a model is needed for these outputs: for its rows, or for the tensors of a position scheme. */
export function needsModel(outputs: readonly string[] | undefined): boolean {
  return outputs?.some((name) => !WITHOUT_MODEL.includes(name)) ?? false
}

/** Whether rows of the token table are looked up for these outputs. */
export function hasTokenRows(outputs: readonly string[]): boolean {
  return outputs.some((name) => (ROW_OUTPUTS as readonly string[]).includes(name))
}

/** The tensors of an answer to a request without `outputs`: ids and targets, and where their padding and segments are. */
export function defaultDatasetOutputs(recipe: Pick<DatasetRecipe, 'packing' | 'tail'>): readonly string[] {
  const mask = canPad(recipe) ? ['attention_mask'] : []
  const segments = isPacked(recipe) ? ['segment_ids'] : []
  return ['input_ids', 'target_ids', ...mask, ...segments]
}

/** Whether windows may hold more than one document. */
export function isPacked({ packing }: Pick<DatasetRecipe, 'packing'>): boolean {
  return packing !== 'none'
}

/**
 * The checks of `outputs` that need no model.
 *
 * @param single the answer's format carries one tensor: it must be named
 * @throws InletError `invalid_request` for an unknown name, or not exactly one where the format carries one;
 *   `unsupported_combination` for `dataset_index` of a dataset that is no mixture
 */
export function checkDatasetOutputs(
  outputs: readonly string[] | undefined,
  single: boolean,
  isMixture: boolean,
): void {
  if (outputs === undefined) {
    if (!single) return
    const message = '`outputs` must name exactly one tensor for a format that carries one. Given: nothing'
    throw new InletError('invalid_request', message, 'outputs')
  }
  checkOutputNames(outputs, single, ALL_DATASET_OUTPUTS)
  if (isMixture || !outputs.includes('dataset_index')) return
  const message = '`outputs` must name dataset_index for mixtures only. Given: dataset_index'
  throw new InletError('unsupported_combination', message, 'outputs')
}
