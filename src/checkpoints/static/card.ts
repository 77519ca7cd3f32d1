import type { FolderTensor, ModelCard, TokenizerCard } from '../../first-layer/cards/model-card.js'
import { embeddingWidth, POOLING_WEIGHT, type Pooling } from '../../first-layer/pooling/pooling.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/header.js'
import { Checkpoint, type CheckpointTensor } from '../checkpoint.js'
import { declared, folderSource } from '../checkpoint-card.js'
import { type CheckpointFiles, folderError, TOKENIZER_FILE, told } from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import type { FolderFiles } from '../folder-files.js'
import { folderTokenizer } from '../folder-tokenizer.js'
import { INTEGERS } from '../tables/read-tables.js'
import { EMBEDDINGS, MODEL2VEC, type StaticLayout } from './layout.js'
import { rangesOf, rangesTable, type StaticModules, staticSettings } from './modules.js'
import { type StaticTokenizer, staticTokenizer } from './tokenizer.js'

/** Model2Vec's default of `max_length`. */
const DEFAULT_MAX_LENGTH = 512
/** The model type of sentence-transformers' static models, whose files name none. */
export const STATIC_EMBEDDING = 'static_embedding'

/**
 * Makes the card of a static model, which averages rows and computes nothing else.
 *
 * @throws InletError `model_failed`
 */
export async function staticCard(id: string, folder: FolderFiles, layout: StaticLayout): Promise<ModelCard> {
  const own = await staticSettings(folder)
  return layout.flavour === 'model2vec'
    ? model2vecCard(id, folder, layout.config, own)
    : sentenceTransformersCard(id, folder, layout.modules, own)
}

type OwnSettings = Awaited<ReturnType<typeof staticSettings>>

/** Source: model2vec 0.10, `model.py`, `persistence/persistence.py`. */
async function model2vecCard(
  id: string,
  folder: FolderFiles,
  config: ConfigJson,
  own: OwnSettings,
): Promise<ModelCard> {
  const checkpoint = await Checkpoint.of(folder)
  const embeddings = await needed(checkpoint, EMBEDDINGS, 'embedding.weight')
  const mapping = await checkpoint.find(['mapping'])
  const weights = await checkpoint.find(['weights'])
  const { tokenizer, facts } = await tokenizerOf(folder)
  const pooling: Pooling = {
    flavour: 'model2vec',
    normalize: config.flag('normalize') ?? false,
    maxLength: config.isNull('max_length') ? null : (config.size('max_length') ?? DEFAULT_MAX_LENGTH),
    medianTokenLength: facts.medianTokenLength,
    droppedId: facts.unknownId,
    dtype: embeddings.dtype === 'I8' ? 'float32' : dtypeOf(embeddings),
    ...(weights && { weights: weightsType(weights) }),
    ...own,
  }
  const rows = mapping?.shape[0] ?? embeddings.shape[0] ?? 0
  if (mapping === undefined && rows !== facts.vocabSize) throw notOne(embeddings, facts.vocabSize)
  if (mapping !== undefined) checkMapping(mapping)
  const ranges = await rangesOf(folder, embeddings.shape[1] ?? 0)
  return card(id, folder.path, MODEL2VEC, pooling, { tokenizer, embeddings, mapping, weights, ranges, rows })
}

/** Source: sentence-transformers 6.2, `static_embedding.py`, `Normalize.py`. */
async function sentenceTransformersCard(
  id: string,
  folder: FolderFiles,
  modules: StaticModules,
  own: OwnSettings,
): Promise<ModelCard> {
  const files = within(folder, modules.path)
  const checkpoint = await Checkpoint.of(files)
  const embeddings = await needed(checkpoint, 'embedding.weight')
  const { tokenizer, facts } = await tokenizerOf(files)
  const pooling: Pooling = {
    flavour: 'sentence_transformers',
    normalize: modules.normalizes,
    maxLength: facts.truncation ?? null,
    ...(facts.truncatesLeft && { keepsLast: true }),
    dtype: dtypeOf(embeddings),
    ...(modules.dimensions !== undefined && { dimensions: modules.dimensions }),
    ...(modules.prompt !== undefined && { prompt: modules.prompt }),
    ...own,
  }
  const inFolder = { ...embeddings, file: `${modules.path}${embeddings.file}` }
  const rows = embeddings.shape[0] ?? 0
  const ranges = await rangesOf(folder, embeddingWidth(pooling, embeddings.shape[1] ?? 0))
  return card(id, folder.path, STATIC_EMBEDDING, pooling, { tokenizer, embeddings: inFolder, ranges, rows })
}

interface StaticParts {
  readonly tokenizer: TokenizerCard
  readonly embeddings: CheckpointTensor
  readonly mapping?: CheckpointTensor | undefined
  readonly weights?: CheckpointTensor | undefined
  readonly ranges: CheckpointTensor | undefined
  /** V: ids with a row. */
  readonly rows: number
}

function card(
  id: string,
  path: string,
  modelType: string,
  pooling: Pooling,
  { tokenizer, embeddings, mapping, weights, ranges, rows }: StaticParts,
): ModelCard {
  const width = embeddings.shape[1] ?? 0
  const isInteger = embeddings.dtype === 'I8'
  const dtype = isInteger ? 'float16' : dtypeOf(embeddings)
  const table: FolderTensor = {
    ...{ ...declared(embeddings), table: 'wte.weight', shape: [rows, width] },
    ...{ stored: isInteger ? 'int8' : dtype, dtype },
    ...(mapping && { rows: declared(mapping) }),
  }
  const tensors = [
    table,
    ...(weights ? [weightsTable(weights, rows)] : []),
    ...(ranges ? [rangesTable(ranges)] : []),
  ]
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
    tokenizer,
    source: folderSource(path, tensors, [embeddings, ...(ranges ? [ranges] : [])]),
  }
}

async function tokenizerOf(
  files: CheckpointFiles,
): Promise<{ tokenizer: TokenizerCard; facts: StaticTokenizer }> {
  const { card, json } = await folderTokenizer(files)
  if (json === undefined) throw folderError(TOKENIZER_FILE, 'is missing')
  return { tokenizer: card, facts: staticTokenizer(json) }
}

/** Weights as a table; float64 as pairs of 32 bits, since no kernel reads them. */
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
  if (Object.hasOwn(FLOAT_DTYPES, dtype)) return 'float32'
  throw folderError(file, `"weights" must be F64, ${Object.keys(FLOAT_DTYPES).join(', ')}. Given: ${dtype}`)
}

function dtypeOf({ file, name, dtype }: CheckpointTensor): FloatDtype {
  if (Object.hasOwn(FLOAT_DTYPES, dtype)) return FLOAT_DTYPES[dtype] as FloatDtype
  const rule = `must be ${Object.keys(FLOAT_DTYPES).join(', ')}, or I8 in Model2Vec's layout`
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

/** A folder within the folder, `0_StaticEmbedding/`, or the folder itself. */
function within(folder: FolderFiles, path: string): CheckpointFiles {
  if (path === '') return folder
  return {
    source: folder.source,
    names: () => folder.names(path),
    text: (name, most) => folder.text(`${path}${name}`, most),
    open: (name) => folder.open(`${path}${name}`),
  }
}
