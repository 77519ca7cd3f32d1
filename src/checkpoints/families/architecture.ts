import type {
  Architecture,
  LayerStep,
  PositionIndex,
} from '../../first-layer/embeddings/architectures/architecture.js'
import { rounded } from '../../first-layer/pooling/rounding.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import type { ConfigJson } from '../config-json.js'
import { folderError } from '../folder-error.js'
import { CONFIG_FILE } from '../model-files.js'
import { type Family, typeRows } from './family.js'
import { hiddenSize } from './schemes.js'
import type { FamilyTensors } from './tensors.js'

/** Rows that a family's position table has before position 0. */
export const rowsBefore = (index: PositionIndex | undefined) => index?.base ?? 0

/**
 * Makes the architecture of a checkpoint's first layer: the family's line with the numbers of this config.json, without the
 * steps for which the checkpoint has no tensors.
 *
 * @throws InletError `model_failed` if a tensor is missing that this config.json needs
 */
export function firstLayer(
  family: Family,
  config: ConfigJson,
  tensors: FamilyTensors,
  dtype: FloatDtype,
): Architecture {
  const scale = family.scale?.factor(config)
  const epsilon = epsilonOf(family, config)
  const index = positionIndex(family, config)
  const isThere: Partial<Record<LayerStep, boolean>> = {
    scale: scale !== undefined,
    types: typeRows(family, config) > 0,
    project: isProjected(family, config, tensors),
  }
  return {
    name: family.modelType,
    positionEmbedding: family.scheme(config),
    steps: family.steps.filter((step) => isThere[step] ?? true),
    ...(scale !== undefined && {
      scale: family.scale?.rounded ? rounded(Math.fround(scale), dtype) : Math.fround(scale),
      scalesInputsEmbeds: family.scale?.inModule ?? false,
    }),
    ...(epsilon !== undefined && { layerNormEpsilon: epsilon }),
    ...(family.normRoundsParts && { normRoundsParts: true }),
    ...(index !== undefined && { positionIndex: index }),
  }
}

function isProjected({ projection }: Family, config: ConfigJson, tensors: FamilyTensors): boolean {
  if (projection === undefined) return false
  if (tensors['projection.weight'] !== undefined) return true
  const [width, hidden] = [tensors['wte.weight'].shape[1], hiddenSize(config)]
  if (width === hidden) return false
  const rule = `\`hidden_size\` ${hidden} needs ${projection}.weight for rows of ${width}`
  throw folderError(CONFIG_FILE, `${rule}. The checkpoint has none`)
}

function epsilonOf({ epsilon }: Family, config: ConfigJson): number | undefined {
  if (epsilon === undefined || typeof epsilon === 'number') return epsilon
  const [name, byDefault] = epsilon
  return config.number(name) ?? byDefault
}

function positionIndex({ index = 'plain' }: Family, config: ConfigJson): PositionIndex | undefined {
  switch (index) {
    case 'plain':
      return undefined
    case 'two_on':
      return { base: 2, pads: 'none' }
    case 'two_on_but_pad': {
      const zeroRow = config.tokenId('pad_token_id')
      return { base: 2, pads: 'none', ...(zeroRow !== undefined && { zeroRow }) }
    }
    case 'two_on_by_mask':
      return { base: 2, pads: 'mask', padRow: 1 }
    case 'after_pad':
      return afterPad(config.tokenId('pad_token_id') ?? 1)
    case 'after_one':
      return afterPad(1)
  }
}

const afterPad = (pad: number): PositionIndex => ({ base: pad + 1, pads: 'id', padRow: pad, padId: pad })
