import type { FolderTensor, ModelCard, TokenizerCard } from '../../first-layer/cards/model-card.js'
import {
  embeddingWidth,
  POOLING_RANGES,
  POOLING_WEIGHT,
  type Pooling,
} from '../../first-layer/pooling/pooling.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/header.js'
import { fileError, isObject, type JsonObject } from '../../first-layer/tokens/tokenizer-file/fields.js'
import { readModel } from '../../first-layer/tokens/tokenizer-file/model-vocabulary.js'
import { readAddedTokens } from '../../first-layer/tokens/tokenizer-file/tokenizer-facts.js'
import { Checkpoint, type CheckpointTensor, declared, headerOf, SINGLE } from '../checkpoint.js'
import { folderSource } from '../checkpoint-card.js'
import {
  CALIBRATION_FILE,
  type CheckpointFiles,
  folderError,
  MAX_CARD_BYTES,
  STATIC_SETTINGS_FILE,
  TOKENIZER_FILE,
  told,
} from '../checkpoint-files.js'
import { ConfigJson } from '../config-json.js'
import type { FolderFiles } from '../folder-files.js'
import { folderTokenizer } from '../folder-tokenizer.js'
import { INTEGERS } from '../tables/read-tables.js'
import { EMBEDDINGS, MODEL2VEC, type StaticLayout, type StaticModules } from './layout.js'

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
  const own = await ownSettings(folder)
  const parts =
    layout.flavour === 'model2vec'
      ? await model2vec(folder, layout.config)
      : await sentenceTransformers(folder, layout.modules)
  const { modelType, tokenizer, embeddings, mapping, weights, rows } = parts
  const pooling = { ...parts.pooling, ...own }
  const width = embeddings.shape[1]
  const ranges = await rangesOf(folder, embeddingWidth(pooling, width))
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
    ...{ id, modelType, architecture: modelType, positionEmbedding, dtype, pooling, tokenizer },
    layer: { name: modelType, positionEmbedding: 'none', steps: ['positions'] },
    ...{ vocabSize: rows, embeddingDim: width, hiddenSize: width },
    ...{ maxPositionEmbeddings: 0, typeVocabSize: 0 },
    source: folderSource(folder.path, tensors, [embeddings, ...(ranges ? [ranges] : [])]),
  }
}

interface StaticParts {
  readonly modelType: string
  readonly pooling: Pooling
  readonly tokenizer: TokenizerCard
  readonly embeddings: CheckpointTensor
  readonly mapping?: CheckpointTensor | undefined
  readonly weights?: CheckpointTensor | undefined
  /** V: ids with a row. */
  readonly rows: number
}

/** Source: model2vec 0.10, `model.py`, `persistence/persistence.py`. */
async function model2vec(folder: FolderFiles, config: ConfigJson): Promise<StaticParts> {
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
  }
  const rows = mapping?.shape[0] ?? embeddings.shape[0]
  const shape = (tensor: CheckpointTensor) => `[${tensor.shape.join(', ')}]`
  if (mapping === undefined && rows !== facts.vocabSize) {
    const rule = `must have a row for each of the ${facts.vocabSize} tokens of tokenizer.json`
    throw folderError(embeddings.file, `${told(embeddings.name)} ${rule}. Given: ${shape(embeddings)}`)
  }
  if (mapping !== undefined && !(mapping.shape.length === 1 && INTEGERS.includes(mapping.dtype)))
    throw folderError(
      mapping.file,
      `"mapping" must be integers [V]. Given: ${mapping.dtype} ${shape(mapping)}`,
    )
  return { modelType: MODEL2VEC, pooling, tokenizer, embeddings, mapping, weights, rows }
}

/** Source: sentence-transformers 6.2, `static_embedding.py`, `Normalize.py`. */
async function sentenceTransformers(folder: FolderFiles, modules: StaticModules): Promise<StaticParts> {
  const { path, normalizes, dimensions, prompt } = modules
  const files = within(folder, path)
  const embeddings = await needed(await Checkpoint.of(files), 'embedding.weight')
  const { tokenizer, facts } = await tokenizerOf(files)
  const pooling: Pooling = {
    flavour: 'sentence_transformers',
    normalize: normalizes,
    maxLength: facts.truncation ?? null,
    ...(facts.truncatesLeft && { keepsLast: true }),
    dtype: dtypeOf(embeddings),
    ...(dimensions !== undefined && { dimensions }),
    ...(prompt !== undefined && { prompt }),
  }
  const inFolder = { ...embeddings, file: `${path}${embeddings.file}` }
  return { modelType: STATIC_EMBEDDING, pooling, tokenizer, embeddings: inFolder, rows: embeddings.shape[0] }
}

/**
 * A file of a static model's folder for this service alone: `{ "accept_ids": true }`.
 *
 * @throws InletError `model_failed` for other fields or types
 */
async function ownSettings(files: CheckpointFiles): Promise<Pick<Pooling, 'acceptIds'>> {
  const text = (await files.text(STATIC_SETTINGS_FILE, MAX_CARD_BYTES)) ?? '{}'
  const settings = ConfigJson.parse(text, STATIC_SETTINGS_FILE)
  settings.checkNames(['accept_ids'])
  const acceptIds = settings.flag('accept_ids')
  return acceptIds === undefined ? {} : { acceptIds }
}

/** The tensor in calibration.safetensors: the least and the greatest value of each dimension of a sample's embeddings. */
const RANGES = 'ranges'

/** The ranges of embeddings, float32 [2, numbers of an embedding]; undefined if the folder has none. */
async function rangesOf(files: CheckpointFiles, width: number): Promise<CheckpointTensor | undefined> {
  if (!(await files.names()).includes(CALIBRATION_FILE)) return undefined
  const tensor = (await headerOf(files, CALIBRATION_FILE)).get(RANGES)
  const given = tensor === undefined ? 'none' : `${tensor.dtype} [${tensor.shape.join(', ')}]`
  if (given === `F32 [2, ${width}]`) return tensor
  throw folderError(CALIBRATION_FILE, `must have "${RANGES}" of F32 [2, ${width}]. Given: ${given}`)
}

function rangesTable(tensor: CheckpointTensor): FolderTensor {
  const { shape } = tensor
  return { ...declared(tensor), table: POOLING_RANGES, shape, stored: 'float32', dtype: 'float32' }
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

async function needed(checkpoint: Checkpoint, ...names: readonly string[]): Promise<CheckpointTensor> {
  const tensor = await checkpoint.find(names)
  if (tensor === undefined) throw folderError(SINGLE, `has no tensor ${names.join(' or ')}`)
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

/** The tokenizer, and a static model's facts of it. */
async function tokenizerOf(files: CheckpointFiles) {
  const { card, json } = await folderTokenizer(files)
  if (json === undefined) throw folderError(TOKENIZER_FILE, 'is missing')
  const model = readModel(json, TOKENIZER_FILE)
  const ids = new Map(model.vocabulary)
  for (const { content, id } of readAddedTokens(json, model.vocabulary, TOKENIZER_FILE)) ids.set(content, id)
  // Unigram names its unknown token by its id, the others by its literal.
  const { unk_token: literal, unk_id: id } = model.json
  const named = typeof literal === 'string' ? ids.get(literal) : undefined
  const facts = {
    vocabSize: ids.size,
    unknownId: named ?? (Number.isSafeInteger(id) ? (id as number) : undefined),
    /** The median of the tokens' lengths in code points, rounded down. */
    medianTokenLength: Math.floor(median([...ids.keys()].map((token) => [...token].length))),
    ...truncationOf(json),
  }
  return { tokenizer: card, facts }
}

/** Most ids of a text, and whether a longer text keeps its last ids, not its first. */
function truncationOf({ truncation }: JsonObject): { truncation?: number; truncatesLeft: boolean } {
  if (truncation === undefined || truncation === null) return { truncatesLeft: false }
  const place = { file: TOKENIZER_FILE, path: '' }
  if (!isObject(truncation)) throw fileError(place, 'truncation', 'an object, or null', truncation)
  const { max_length: most, direction = 'Right' } = truncation
  if (!Number.isSafeInteger(most) || (most as number) < 0)
    throw fileError(place, 'truncation.max_length', 'a whole number of at least 0', most)
  if (direction !== 'Left' && direction !== 'Right')
    throw fileError(place, 'truncation.direction', 'Left or Right', direction)
  return { truncation: most as number, truncatesLeft: direction === 'Left' }
}

function median(lengths: number[]): number {
  const sorted = Int32Array.from(lengths).sort()
  const middle = sorted.length >> 1
  if (sorted.length === 0) return 0
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
