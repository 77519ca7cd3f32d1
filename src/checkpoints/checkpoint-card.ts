import { isTableShape, SIZE_RANGES } from '../first-layer/cards/card-json.js'
import type { FolderSource, FolderTensor, ModelCard } from '../first-layer/cards/model-card.js'
import { bindPositionEmbedding } from '../first-layer/embeddings/positions/position-embedding.js'
import { readPositionEmbedding } from '../first-layer/embeddings/positions/position-option.js'
import type { FloatDtype } from '../first-layer/tensors/named-tensor.js'
import { FLOAT_DTYPES } from '../first-layer/tensors/safetensors/header.js'
import { Checkpoint, type CheckpointTensor, checkTensor, declared } from './checkpoint.js'
import { type CheckpointFiles, CONFIG_FILE, folderError, NoTablesError, told } from './checkpoint-files.js'
import type { ConfigJson } from './config-json.js'
import {
  type FamilyPart,
  type FamilyTensor,
  type FamilyTensors,
  familyTensors,
  firstLayer,
  rowsBefore,
} from './families/architecture.js'
import { familyOf } from './families/families.js'
import { type Family, typeRows } from './families/family.js'
import { hiddenSize as blockWidth } from './families/schemes.js'
import { folderChat } from './folder-chat.js'
import { folderTokenizer } from './folder-tokenizer.js'
import { lookupsOf } from './lookups/lookup-families.js'

/** A model's card, and the checkpoint that it was read from. */
export interface CheckpointCard {
  readonly card: ModelCard
  readonly checkpoint: Checkpoint
  /** The tensor that decides the model's dtype; undefined if config.json states it. */
  readonly dtypeFrom: CheckpointTensor | undefined
  /** All that the first layer reads. */
  readonly tensors: readonly CheckpointTensor[]
}

/**
 * Makes the card of a model in Hugging Face's layout from config.json and the headers of its safetensors.
 *
 * @param path the folder in which the files lie, or will lie
 * @param whole config.json; undefined if there is none
 * @throws InletError `model_failed` that names the file, what is expected and what was found
 */
export async function checkpointCard(
  id: string,
  path: string,
  folder: CheckpointFiles,
  whole: ConfigJson | undefined,
): Promise<CheckpointCard> {
  if (whole === undefined) throw new NoTablesError(CONFIG_FILE, 'is missing')
  const family = familyOf(whole)
  const { modelType } = family
  const stated = textConfig(whole, family)
  const checkpoint = await Checkpoint.of(folder)
  const tensors = await familyTensors(family, stated.withDefaults(family.defaults), checkpoint)
  const config = stated.withDefaults({ hidden_size: tensors['wte.weight'].shape[1] ?? 0, ...family.defaults })
  const wanted = statedDtype(config)
  const dtypeFrom = wanted === undefined ? await checkpoint.firstFloat() : undefined
  const dtype = wanted ?? FLOAT_DTYPES[dtypeFrom?.dtype ?? 'F32'] ?? 'float32'
  const layer = firstLayer(family, config, tensors, dtype)
  const found = { checkpoint, config, whole, tokens: tensors['wte.weight'], dtype }
  const lookups = await lookupsOf(modelType, found)
  const positionEmbedding = schemeOf(layer.positionEmbedding)
  checkShapes(tensors, family, config)

  const [vocabSize, embeddingDim] = tensors['wte.weight'].shape
  const positions = tensors['wpe.weight']
  const longest = config.size('max_position_embeddings', 'n_positions', 'n_ctx', 'max_seq_len', 'seq_length')
  const hiddenSize = layer.steps.includes('project') ? tensors['projection.weight'].shape[0] : embeddingDim
  // Learned tensors of the scheme whose shapes differ from those that the scheme has are not read.
  const learned = bindPositionEmbedding(positionEmbedding).parameters(hiddenSize)
  const tables = Object.entries<FamilyTensor>({ ...tensors, ...lookups?.tables }).filter(
    ([table, { shape }]) =>
      !table.startsWith('position.') || learned[table.slice('position.'.length)]?.join() === shape.join(),
  )
  const read = [...tables.flatMap(([, each]) => each.parts ?? [each]), ...(lookups?.onDisk ?? [])]
  const tokenizer = await folderTokenizer(folder)
  const card: ModelCard = {
    ...{ id, modelType, architecture: modelType, positionEmbedding, dtype },
    layer: lookups?.replaced === undefined ? layer : { ...layer, replaced: lookups.replaced },
    ...{ vocabSize, embeddingDim, hiddenSize },
    maxPositionEmbeddings:
      positions === undefined ? (longest ?? 0) : positions.shape[0] - rowsBefore(layer.positionIndex),
    typeVocabSize: typeRows(family, config),
    padTokenId: config.tokenId('pad_token_id') ?? config.tokenId('eos_token_id') ?? tokenizer.padTokenId,
    tokenizer: tokenizer.card,
    chat: await folderChat(folder, tokenizer.json, whole),
    source: folderSource(path, folderTensors(tables, dtype), read),
    ...(lookups !== undefined && Object.keys(lookups.card).length > 0 && { lookups: lookups.card }),
  }
  return { card, checkpoint, dtypeFrom, tensors: read }
}

/** The part of a multimodal config.json that is about text, over the rest; or all of it. */
export function textConfig(whole: ConfigJson, { textIn }: Family): ConfigJson {
  const outer = textIn === undefined ? whole : whole.object(textIn)
  return outer?.object('text_config')?.over(whole) ?? whole
}

function folderTensors(
  tables: readonly (readonly [string, FamilyTensor])[],
  dtype: FloatDtype,
): readonly FolderTensor[] {
  return tables.flatMap(([table, { shape, ...whole }]) => {
    const parts: readonly FamilyPart[] = whole.parts ?? [{ ...whole, shape }]
    return parts.map((each) => ({
      ...{ ...declared(each), table, shape, ...(each.part && { part: each.part }) },
      ...{ stored: FLOAT_DTYPES[each.dtype], dtype: whole.isFloat32 ? ('float32' as const) : dtype },
    }))
  })
}

/** @param from the tensors whose files are read */
export function folderSource(
  path: string,
  tensors: readonly FolderTensor[],
  from: readonly CheckpointTensor[],
): FolderSource {
  const files = new Map(from.map(({ file, fileBytes }) => [file, fileBytes]))
  return { type: 'folder', path, tensors, files: [...files].map(([name, bytes]) => ({ name, bytes })) }
}

/** The dtype that config.json states; undefined if the checkpoint's own counts. */
function statedDtype(config: ConfigJson): FloatDtype | undefined {
  const stated = config.text('dtype', 'torch_dtype')
  const dtypes = Object.values(FLOAT_DTYPES)
  const dtype = dtypes.find((each) => each === stated)
  if (dtype !== undefined || stated === undefined) return dtype
  throw folderError(CONFIG_FILE, `\`dtype\` must be ${dtypes.join(', ')}. Given: ${told(stated)}`)
}

function schemeOf(wire: unknown) {
  try {
    return readPositionEmbedding(wire)
  } catch (error) {
    throw folderError(CONFIG_FILE, `gives a position scheme that cannot be: ${(error as Error).message}`)
  }
}

function checkShapes(tensors: FamilyTensors, family: Family, config: ConfigJson): void {
  const { 'wte.weight': tokens, 'wpe.weight': positions, 'projection.weight': projection } = tensors
  checkTable(tokens, 'vocab_size')
  if (positions !== undefined) checkTable(positions, 'max_position_embeddings')
  const { moreTokens, moreRows = 0, steps } = family
  const [vocabSize, width] = tokens.shape
  const hidden = blockWidth(config)
  const stated = config.size('vocab_size', 'n_token')
  const more = moreTokens === undefined ? moreRows : vocabSize - (tokens.parts?.[0]?.part?.count ?? 0)
  const widthAt = (step: 'positions' | 'norm') =>
    projection !== undefined && steps.indexOf('project') < steps.indexOf(step) ? hidden : width
  const shapes = {
    'wte.weight': [
      stated === undefined ? vocabSize : stated + more,
      projection === undefined ? hidden : width,
    ],
    'projection.weight': [hidden, width],
    'projection.bias': [hidden],
    'vector.weight': [...(tensors['vector.weight']?.shape.slice(0, -1) ?? []), width],
    'row.weight': [width],
    'norm.weight': [widthAt('norm')],
    'norm.bias': [widthAt('norm')],
    'wtt.weight': [typeRows(family, config), width],
    'wpe.weight': [positions?.shape[0], widthAt('positions')],
  }
  for (const [name, shape] of Object.entries(shapes))
    if (tensors[name] !== undefined) checkTensor(tensors[name], shape)
}

function checkTable(tensor: CheckpointTensor, rowsName: keyof typeof SIZE_RANGES): void {
  const { shape, file, name } = tensor
  if (isTableShape(shape, rowsName)) return
  const rule = `must be [${SIZE_RANGES[rowsName].join(' … ')}, ${SIZE_RANGES.embedding_dim.join(' … ')}]`
  throw folderError(file, `${told(name)} ${rule}. Given: [${shape.join(', ')}]`)
}
