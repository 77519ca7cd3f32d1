import type { PositionEmbedding } from './embeddings/positions/position-embedding.js'
import { positionSchemes } from './embeddings/positions/registry.js'
import type { PositionRequest } from './embeddings/positions/scheme.js'
import { InletError, invalidField } from './errors.js'
import { LOOKUP_OUTPUTS, type LookupCard } from './lookups/lookup-card.js'
import { type AskedDtypes, type Dtype, servedDtype } from './tensors/named-tensor.js'
import { ID_OUTPUTS } from './windows/batch.js'

/** The tensors of rows of a model. */
export const ROW_OUTPUTS = ['input_embeddings', 'token_embeddings', 'inputs_embeds'] as const

/** The tensors that every request can ask for, whatever its position scheme. */
export const COMMON_OUTPUTS = [...ROW_OUTPUTS, ...ID_OUTPUTS] as const

/** Every name that `outputs` can have under some scheme. */
export const ALL_OUTPUTS: readonly string[] = [
  ...new Set([...COMMON_OUTPUTS, ...positionSchemes.flatMap((scheme) => scheme.tensorNames)]),
]

const LOOKUP_NAMES = Object.keys(LOOKUP_OUTPUTS)

/** The same, and the tensors of models that look up or take more than a token's row. */
export const OUTPUTS_WITH_LOOKUPS: readonly string[] = [...ALL_OUTPUTS, ...LOOKUP_NAMES]

/** Whether outputs depend on a model's tables or its width. */
export function readsRows(names: readonly string[], position: PositionEmbedding): boolean {
  const rows: readonly string[] = [...ROW_OUTPUTS, ...LOOKUP_NAMES, ...position.tensorNames]
  return names.some((name) => rows.includes(name))
}

/**
 * Checks of `outputs` that need no model.
 *
 * @param known every name that this kind of request may have
 * @throws InletError `invalid_request` for an unknown name, or not exactly one where the format carries one
 */
export function checkOutputNames(
  names: readonly string[],
  single: boolean,
  known: readonly string[] = OUTPUTS_WITH_LOOKUPS,
): void {
  const unknown = names.findIndex((name) => !known.includes(name))
  if (unknown >= 0) {
    throw invalidField(`outputs.${unknown}`, `must be one of ${known.join(', ')}`, names[unknown])
  }
  if (single && names.length !== 1) {
    const message = `\`outputs\` must name exactly one tensor for a format that carries one. Given: ${names.join(', ')}`
    throw new InletError('invalid_request', message, 'outputs')
  }
}

/**
 * @param common names of the tensors that can be had besides the scheme's own
 * @throws InletError `unsupported_combination` for a name that neither this scheme nor the model's lookups give
 */
export function checkOutputs(
  names: readonly string[],
  position: PositionEmbedding,
  common: readonly string[] = COMMON_OUTPUTS,
  lookups: LookupCard = {},
): void {
  const looked = LOOKUP_NAMES.filter((name) => LOOKUP_OUTPUTS[name].axes(lookups, 0) !== undefined)
  const given = [...common, ...position.tensorNames, ...looked]
  const missing = names.find((name) => !given.includes(name))
  if (missing !== undefined) {
    const message = `\`outputs\` must be among what ${position.type} gives: ${given.join(', ')}. Given: ${missing}`
    throw new InletError('unsupported_combination', message, 'outputs')
  }
}

/** Element type that a tensor will have. */
export function outputDtype(
  name: string,
  asked: AskedDtypes,
  position: PositionEmbedding,
  request: PositionRequest,
): Dtype {
  if ((ROW_OUTPUTS as readonly string[]).includes(name) || LOOKUP_OUTPUTS[name]?.isIds === false)
    return asked.dtype
  if (!position.tensorNames.includes(name)) return asked.ids_dtype
  const tensor = position.tensors(request).find((each) => each.name === name)
  return servedDtype(tensor?.dtype ?? 'float32', asked)
}
