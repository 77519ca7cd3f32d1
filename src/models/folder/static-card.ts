import type { FloatDtype } from '../../named-tensor.js'
import { POOLING_WEIGHT, type Pooling } from '../../pooling/pooling.js'
import type { FolderTensor, ModelCard } from '../model-card.js'
import { INTEGERS } from '../sources/gather-rows.js'
import { Checkpoint, type CheckpointTensor } from './checkpoint.js'
import type { CheckpointFiles } from './checkpoint-files.js'
import { CONFIG_FILE, ConfigJson } from './config-json.js'
import { READABLE } from './family-tensors.js'
import { declared, folderSource, MAX_CONFIG_BYTES } from './folder-card.js'
import { folderError, told } from './folder-error.js'
import { FolderFiles } from './folder-files.js'
import { folderTokenizer } from './folder-tokenizer.js'
import { staticModules } from './static-modules.js'
import { MAX_TOKENIZER_BYTES, staticTokenizer } from './static-tokenizer.js'

/** `model_type` of Model2Vec's config.json. */
export const MODEL2VEC = 'model2vec'
/** Model2Vec's table. */
const EMBEDDINGS = 'embeddings'
/** Model2Vec's ids of a text where config.json does not say. */
const DEFAULT_MAX_LENGTH = 512
/** The model type of a folder of sentence-transformers, which names none. */
export const STATIC_EMBEDDING = 'static_embedding'

/**
 * Whether a folder is that of a static model: config.json says so, or there is none beside modules.json. Where
 * config.json names no model type, as that of a `StaticModel` made from arrays, Model2Vec's tensor tells.
 */
export async function isStatic(folder: FolderFiles): Promise<boolean> {
  const config = await configOf(folder)
  const modelType = config?.text('model_type')
  if (config === undefined || modelType === MODEL2VEC) return true
  if (modelType !== undefined || !(await folder.names()).includes('model.safetensors')) return false
  return (await (await Checkpoint.of(folder)).find([EMBEDDINGS])) !== undefined
}

/**
 * The card of a static model: its rows are averaged, and nothing else is computed.
 *
 * @throws InletError `model_failed`
 */
export async function staticCard(id: string, path: string): Promise<ModelCard> {
  const folder = await FolderFiles.at(path)
  const config = await configOf(folder)
  return config === undefined ? sentenceTransformersCard(id, folder) : model2vecCard(id, folder, config)
}

async function configOf(folder: FolderFiles): Promise<ConfigJson | undefined> {
  const text = await folder.text(CONFIG_FILE, MAX_CONFIG_BYTES)
  return text === undefined ? undefined : ConfigJson.parse(text)
}

/** Source: model2vec 0.10, `model.py`, `persistence/persistence.py`. */
async function model2vecCard(id: string, folder: FolderFiles, config: ConfigJson): Promise<ModelCard> {
  const checkpoint = await Checkpoint.of(folder)
  const embeddings = await needed(checkpoint, EMBEDDINGS, 'embedding.weight')
  const mapping = await checkpoint.find(['mapping'])
  const weights = await checkpoint.find(['weights'])
  const tokenizer = staticTokenizer((await folder.text('tokenizer.json', MAX_TOKENIZER_BYTES)) ?? '')
  const pooling: Pooling = {
    flavour: 'model2vec',
    normalize: config.flag('normalize') ?? false,
    maxLength: config.isNull('max_length') ? null : (config.size('max_length') ?? DEFAULT_MAX_LENGTH),
    medianTokenLength: tokenizer.medianTokenLength,
    droppedId: tokenizer.unknownId,
    dtype: embeddings.dtype === 'I8' ? 'float32' : dtypeOf(embeddings),
    ...(weights && { weights: weightsType(weights) }),
  }
  const rows = mapping?.shape[0] ?? embeddings.shape[0] ?? 0
  if (mapping === undefined && rows !== tokenizer.vocabSize) throw notOne(embeddings, tokenizer.vocabSize)
  if (mapping !== undefined) checkMapping(mapping)
  return card(id, folder.path, MODEL2VEC, pooling, { files: folder, embeddings, mapping, weights, rows })
}

/** Source: sentence-transformers 6.2, `static_embedding.py`, `Normalize.py`. */
async function sentenceTransformersCard(id: string, folder: FolderFiles): Promise<ModelCard> {
  const modules = await staticModules(folder)
  const files = within(folder, modules.path)
  const checkpoint = await Checkpoint.of(files)
  const embeddings = await needed(checkpoint, 'embedding.weight')
  const tokenizer = staticTokenizer((await files.text('tokenizer.json', MAX_TOKENIZER_BYTES)) ?? '')
  const pooling: Pooling = {
    flavour: 'sentence_transformers',
    normalize: modules.normalizes,
    maxLength: tokenizer.truncation ?? null,
    ...(tokenizer.truncatesLeft && { keepsLast: true }),
    dtype: dtypeOf(embeddings),
    ...(modules.prompt !== undefined && { prompt: modules.prompt }),
  }
  const inFolder = { ...embeddings, file: `${modules.path}${embeddings.file}` }
  const rows = embeddings.shape[0] ?? 0
  return card(id, folder.path, STATIC_EMBEDDING, pooling, { files, embeddings: inFolder, rows })
}

interface StaticTensors {
  /** Where tokenizer.json is. */
  readonly files: CheckpointFiles
  readonly embeddings: CheckpointTensor
  readonly mapping?: CheckpointTensor | undefined
  readonly weights?: CheckpointTensor | undefined
  /** V: ids that there are rows for. */
  readonly rows: number
}

async function card(
  id: string,
  path: string,
  modelType: string,
  pooling: Pooling,
  { files, embeddings, mapping, weights, rows }: StaticTensors,
): Promise<ModelCard> {
  const width = embeddings.shape[1] ?? 0
  const isInteger = embeddings.dtype === 'I8'
  const dtype = isInteger ? 'float16' : dtypeOf(embeddings)
  const table: FolderTensor = {
    ...{ ...declared(embeddings), table: 'wte.weight', shape: [rows, width] },
    ...{ stored: isInteger ? 'int8' : dtype, dtype },
    ...(mapping && { rows: declared(mapping) }),
  }
  const tensors = weights === undefined ? [table] : [table, weightsTable(weights, rows)]
  const positionEmbedding = { type: 'none' }
  return {
    ...{ id, modelType, architecture: modelType, positionEmbedding, dtype, pooling },
    layer: { name: modelType, positionEmbedding: 'none', steps: ['positions'] },
    ...{
      vocabSize: rows,
      embeddingDim: width,
      hiddenSize: width,
      maxPositionEmbeddings: 0,
      typeVocabSize: 0,
    },
    tokenizer: await folderTokenizer(files),
    source: folderSource(path, tensors, [embeddings]),
  }
}

/** Weights as a table: those of 64 bits as pairs of 32, for no kernel reads them. */
function weightsTable(weights: CheckpointTensor, rows: number): FolderTensor {
  if (weights.shape.join() !== String(rows)) {
    const given = `[${weights.shape.join(', ')}]`
    throw folderError(weights.file, `"weights" must be [${rows}], one for each id. Given: ${given}`)
  }
  const isDouble = weightsType(weights) === 'float64'
  return {
    ...{ ...declared(weights), table: POOLING_WEIGHT, shape: isDouble ? [rows, 2] : [rows] },
    ...{ stored: isDouble ? 'float32' : dtypeOf(weights), dtype: 'float32' },
  }
}

function weightsType({ file, dtype }: CheckpointTensor): NonNullable<Pooling['weights']> {
  if (dtype === 'F64') return 'float64'
  if (dtype === 'F16') return 'float16'
  if (Object.hasOwn(READABLE, dtype)) return 'float32'
  throw folderError(file, `"weights" must be F64, ${Object.keys(READABLE).join(', ')}. Given: ${dtype}`)
}

function dtypeOf({ file, name, dtype }: CheckpointTensor): FloatDtype {
  if (Object.hasOwn(READABLE, dtype)) return READABLE[dtype] as FloatDtype
  const rule = `must be ${Object.keys(READABLE).join(', ')}, or I8 in Model2Vec's layout`
  throw folderError(file, `${told(name)} ${rule}. Given: ${dtype}`)
}

function checkMapping({ file, shape, dtype }: CheckpointTensor): void {
  if (shape.length === 1 && INTEGERS.includes(dtype)) return
  throw folderError(file, `"mapping" must be integers [V]. Given: ${dtype} [${shape.join(', ')}]`)
}

function notOne({ file, name, shape }: CheckpointTensor, tokens: number) {
  const rule = `must have a row for each of the ${tokens} tokens of tokenizer.json`
  return folderError(file, `${told(name)} ${rule}. Given: [${shape.join(', ')}]`)
}

async function needed(checkpoint: Checkpoint, ...names: readonly string[]): Promise<CheckpointTensor> {
  const tensor = await checkpoint.find(names)
  if (tensor === undefined) throw folderError('model.safetensors', `has no tensor ${names.join(' or ')}`)
  if (tensor.shape.length === 2 && tensor.shape.every((axis) => axis > 0)) return tensor
  const given = `[${tensor.shape.join(', ')}]`
  throw folderError(tensor.file, `${told(tensor.name)} must be [V, C]. Given: ${given}`)
}

/** A folder of the folder: `0_StaticEmbedding/`, or the folder itself. */
function within(folder: FolderFiles, path: string): CheckpointFiles {
  if (path === '') return folder
  return {
    source: folder.source,
    names: () => folder.names(path),
    text: (name, most) => folder.text(`${path}${name}`, most),
    open: (name) => folder.open(`${path}${name}`),
  }
}
