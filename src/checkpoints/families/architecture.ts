import type {
  Architecture,
  LayerStep,
  PositionIndex,
} from '../../first-layer/embeddings/architectures/registry.js'
import { rounded } from '../../first-layer/pooling/arithmetic.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/header.js'
import type { Checkpoint, CheckpointTensor } from '../checkpoint.js'
import { CONFIG_FILE, folderError, told } from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import { type Family, typeRows } from './family.js'
import { hiddenSize } from './schemes.js'

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
  const { epsilon: given } = family
  const epsilon = typeof given === 'object' ? (config.number(given[0]) ?? given[1]) : given
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

/** The tensors of a checkpoint's first layer, by the names of their tables. */
export type FamilyTensors = Readonly<Record<string, CheckpointTensor>> & {
  readonly 'wte.weight': CheckpointTensor
}

/**
 * Finds a family's tensors in a checkpoint, all under one prefix.
 *
 * @throws InletError `model_failed` if a required table is missing or has another dtype than a float's
 */
export async function familyTensors(
  family: Family,
  config: ConfigJson,
  checkpoint: Checkpoint,
): Promise<FamilyTensors> {
  const { prefix, tokens } = await tokenTable(family, config, checkpoint)
  const find = async (...names: readonly string[]) => {
    const tensor = await checkpoint.find(names.map((name) => prefix + name))
    return tensor && readable(tensor)
  }
  const needed = async (name: string, why: string) => {
    const tensor = await find(name)
    if (tensor === undefined) throw folderError(tokens.file, `${told(prefix + name)} is missing, ${why}`)
    return tensor
  }
  const found: Record<string, CheckpointTensor | undefined> = { 'wte.weight': tokens }
  const { positions, types, norm, projection, learned = {} } = family
  // DeBERTa has a table of positions only if `position_biased_input` is true.
  if (positions !== undefined && (config.flag('position_biased_input') ?? true))
    found['wpe.weight'] = await needed(positions, 'the table of positions')
  if (types !== undefined && typeRows(family, config) > 0)
    found['wtt.weight'] = await needed(types, 'the table of token types')
  if (norm !== undefined) {
    // Older files call the weight gamma and the bias beta.
    found['norm.weight'] = (await find(`${norm}.gamma`)) ?? (await needed(`${norm}.weight`, 'the LayerNorm'))
    found['norm.bias'] = await find(`${norm}.bias`, `${norm}.beta`)
  }
  if (projection !== undefined) {
    found['projection.weight'] = await find(`${projection}.weight`)
    found['projection.bias'] = await find(`${projection}.bias`)
  }
  for (const [name, names] of Object.entries(learned)) found[`position.${name}`] = await find(...names)
  const present = Object.entries(found).filter(([, tensor]) => tensor !== undefined)
  return Object.fromEntries(present) as FamilyTensors
}

/** The head's rows, of which some tools keep one copy for both. */
const HEAD = 'lm_head.weight'

async function tokenTable(
  { prefixes, tokens: shared, untied }: Family,
  config: ConfigJson,
  checkpoint: Checkpoint,
): Promise<{ prefix: string; tokens: CheckpointTensor }> {
  const isTied = config.flag('tie_word_embeddings') ?? true
  const tokens = untied === undefined || isTied ? shared : [untied, ...shared]
  for (const name of tokens) {
    for (const prefix of prefixes) {
      const tensor = await checkpoint.find([prefix + name])
      if (tensor !== undefined) return { prefix, tokens: readable(tensor) }
    }
  }
  const names = tokens.flatMap((name) => prefixes.map((prefix) => prefix + name))
  const heads = [HEAD, ...prefixes.map((prefix) => prefix.replace(/model\.$/, '') + HEAD)]
  const head = isTied ? await checkpoint.find(heads) : undefined
  const tied = `, but ${head?.name}, which is the same numbers where \`tie_word_embeddings\` is true: rename it to ${names[0]}`
  throw folderError(
    CONFIG_FILE,
    `asks for one of the tensors ${names.join(', ')}. The checkpoint has none of them${head === undefined ? '' : tied}`,
  )
}

function readable(tensor: CheckpointTensor): CheckpointTensor {
  const { file, name, dtype } = tensor
  if (Object.hasOwn(FLOAT_DTYPES, dtype)) return tensor
  const why = dtype === 'F64' ? 'save it as F32' : 'quantized tables are not read'
  const rule = `must be ${Object.keys(FLOAT_DTYPES).join(', ')}: ${why}`
  throw folderError(file, `${told(name)} ${rule}. Given: ${dtype}`)
}
