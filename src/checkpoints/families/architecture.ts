import type { TablePart } from '../../first-layer/cards/model-card.js'
import type {
  Architecture,
  LayerStep,
  PositionIndex,
} from '../../first-layer/embeddings/architectures/registry.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import { rounded } from '../../first-layer/tensors/sixteen-bits.js'
import { type Checkpoint, type CheckpointTensor, checkTensor } from '../checkpoint.js'
import { CONFIG_FILE, folderError } from '../checkpoint-files.js'
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
  const steps = (all: Family['steps']) => all.filter((step) => isThere[step] ?? true)
  const {
    isRms,
    normRoundsParts,
    reader,
    embedSteps = 0,
    mayCompute,
    row,
    scale: { rounded: to } = {},
  } = family
  const roundTo = to === 'model' ? dtype : (to ?? 'float32')
  return {
    name: family.modelType,
    positionEmbedding: mayCompute && tensors['wpe.weight'] ? 'learned_absolute' : family.scheme(config),
    steps: steps(family.steps),
    ...(embedSteps > 0 && { embedSteps: steps(family.steps.slice(0, embedSteps)).length }),
    ...(scale !== undefined && { scale: rounded(Math.fround(scale), roundTo) }),
    ...(row !== undefined && { rowId: config.number(row[0]) ?? row[1] }),
    ...(epsilon !== undefined && { layerNormEpsilon: epsilon }),
    ...{ ...(isRms && { isRms }), ...(normRoundsParts && { normRoundsParts }), ...(reader && { reader }) },
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

function positionIndex({ index, vector }: Family, config: ConfigJson): PositionIndex | undefined {
  const pad = config.tokenId('pad_token_id')
  const after = (id: number): PositionIndex => ({
    ...{ base: id + 1, pads: 'id', padRow: id, padId: id },
    ...(vector !== undefined && { addsVector: true }),
  })
  const indices: Readonly<Record<string, PositionIndex>> = {
    two_on: { base: 2, pads: 'none' },
    two_on_but_pad: { base: 2, pads: 'none', ...(pad !== undefined && { zeroRow: pad }) },
    two_on_by_mask: { base: 2, pads: 'mask', padRow: 1 },
    past_pad: { base: (pad ?? 1) + 1, pads: 'none' },
    after_pad: after(pad ?? 1),
    after_one: after(1),
  }
  return indices[index ?? 'plain']
}

/** A tensor that is a table, or a part of one. */
export type FamilyPart = CheckpointTensor & { readonly part?: TablePart }

/** A table of a first layer: one tensor, or the parts that make it up. */
export interface FamilyTensor extends CheckpointTensor {
  readonly parts?: readonly FamilyPart[]
  /** The model has it in float32 whatever its dtype. */
  readonly isFloat32?: boolean
}

/** The tensors of a checkpoint's first layer, by the names of their tables. */
export type FamilyTensors = Readonly<Record<string, FamilyTensor>> & {
  readonly 'wte.weight': FamilyTensor
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
  const { moreTokens, axis, norm, projection, learned = {} } = family
  const find = async (...names: readonly string[]) => {
    const tensor = await checkpoint.find(names.map((name) => prefix + name))
    return tensor && checkTensor(tensor)
  }
  const needed = async (name: string, why: string) =>
    checkTensor(await checkpoint.needed([prefix + name], `, ${why}`))
  // DeBERTa has a table of positions only if `position_biased_input` is true.
  const isAdded = family.positions === undefined || (config.flag('position_biased_input') ?? true)
  const places = isAdded ? family.positions : undefined
  const positions =
    places && (family.mayCompute ? await find(places) : await needed(places, 'the table of positions'))
  const hasTypes = typeRows(family, config) > 0
  // Older files call the weight gamma and the bias beta.
  const gamma = norm && (await find(`${norm}.gamma`))
  const found = {
    'wte.weight': moreTokens ? below(tokens, await needed(moreTokens, 'the rows of added tokens')) : tokens,
    'wpe.weight':
      positions && axis ? crossed(positions, await needed(axis, 'the other axis of positions')) : positions,
    'wtt.weight': hasTypes && (await needed(family.types!, 'the table of token types')),
    'norm.weight':
      norm && (gamma ?? (await needed(`${norm}.weight`, `the ${family.isRms ? 'RMS' : 'Layer'}Norm`))),
    'norm.bias': norm && (await find(`${norm}.bias`, `${norm}.beta`)),
    'projection.weight': projection && (await find(`${projection}.weight`)),
    'projection.bias': projection && (await find(`${projection}.bias`)),
    'vector.weight': family.vector && (await needed(family.vector, 'a vector that each row needs')),
    'row.weight': family.row && (await find(family.row[2])),
  }
  const tables: [string, FamilyTensor | '' | false | undefined][] = Object.entries(found)
  for (const [name, names] of Object.entries(learned)) tables.push([`position.${name}`, await find(...names)])
  return Object.fromEntries(tables.filter(([, tensor]) => tensor)) as FamilyTensors
}

/** A table whose last rows are another tensor's. */
function below(top: CheckpointTensor, more: CheckpointTensor): FamilyTensor {
  const [[first = 0, width = 0], [count = 0]] = [top.shape, more.shape]
  const part = (from: number, rows: number) => ({ first: from, count: rows, column: 0, times: 1 })
  return {
    ...{ ...top, shape: [first + count, width] },
    parts: [
      { ...top, part: part(0, first) },
      { ...more, part: part(first, count) },
    ],
  }
}

/** The table of all pairs of a row of `down` [R, 1, D] and one of `across` [1, S, E]: [R · S, D + E]. */
function crossed(down: CheckpointTensor, across: CheckpointTensor): FamilyTensor {
  const [[rows = 0, , left = 0], [, columns = 0, right = 0]] = [down.shape, across.shape]
  const count = rows * columns
  return {
    ...{ ...down, shape: [count, left + right], isFloat32: true },
    parts: [
      { ...down, part: { first: 0, count, column: 0, times: columns } },
      { ...across, part: { first: 0, count, column: left, times: 1 } },
    ],
  }
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
      if (tensor !== undefined) return { prefix, tokens: checkTensor(tensor) }
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
