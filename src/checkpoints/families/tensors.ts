import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/float-dtypes.js'
import type { Checkpoint, CheckpointTensor } from '../checkpoint.js'
import type { ConfigJson } from '../config-json.js'
import { folderError, told } from '../folder-error.js'
import { CONFIG_FILE } from '../model-files.js'
import { type Family, typeRows } from './family.js'

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
  const found: Record<string, CheckpointTensor | undefined> = {}
  const { positions, types, norm, projection, learned = {} } = family
  if (positions !== undefined && usesPositions(config)) {
    found['wpe.weight'] = await needed(positions, 'the table of positions')
  }
  if (types !== undefined && typeRows(family, config) > 0) {
    found['wtt.weight'] = await needed(types, 'the table of token types')
  }
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
  return { 'wte.weight': tokens, ...Object.fromEntries(present) } as FamilyTensors
}

/** DeBERTa has a table of positions only where `position_biased_input` is true. */
function usesPositions(config: ConfigJson): boolean {
  return config.flag('position_biased_input') ?? true
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
