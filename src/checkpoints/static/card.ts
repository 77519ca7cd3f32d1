import { z } from 'zod'
import type { FolderTensor, ModelCard } from '../../first-layer/cards/model-card.js'
import {
  embeddingWidth,
  POOLING_RANGES,
  POOLING_WEIGHT,
  type Pooling,
} from '../../first-layer/pooling/pooling.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/header.js'
import { readModel } from '../../first-layer/tokens/tokenizer-file/model-vocabulary.js'
import { readAddedTokens } from '../../first-layer/tokens/tokenizer-file/tokenizer-facts.js'
import {
  Checkpoint,
  type CheckpointTensor,
  checkTensor,
  declared,
  headerOf,
  TABLE_DTYPES,
} from '../checkpoint.js'
import { folderSource } from '../checkpoint-card.js'
import {
  CALIBRATION_FILE,
  type CheckpointFiles,
  folderError,
  STATIC_SETTINGS_FILE,
  TOKENIZER_FILE,
  told,
} from '../checkpoint-files.js'
import { type ConfigJson, parsedFile } from '../config-json.js'
import type { FolderFiles } from '../folder-files.js'
import { folderTokenizer } from '../folder-tokenizer.js'
import { INTEGERS } from '../tables/read-tables.js'
import { EMBEDDINGS, MODEL2VEC, type StaticLayout, type StaticModules } from './layout.js'

/** Types in which weights count otherwise than in float32. */
const WEIGHTS: Readonly<Record<string, Pooling['weights']>> = { F64: 'float64', F16: 'float16' }
const FLOAT32 = { stored: 'float32', dtype: 'float32' } as const
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
  const dtype = isInteger ? 'float16' : FLOAT_DTYPES[embeddings.dtype]
  const table: FolderTensor = {
    ...{ ...declared(embeddings), table: 'wte.weight', shape: [rows, width] },
    ...{ stored: isInteger ? 'int8' : dtype, dtype },
    ...(mapping && { rows: declared(mapping) }),
  }
  const tensors = [
    table,
    ...(weights ? [weightsTable(weights, rows)] : []),
    ...(ranges ? [{ ...declared(ranges), table: POOLING_RANGES, shape: ranges.shape, ...FLOAT32 }] : []),
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

/** Source: model2vec 0.10, `model.py`, `persistence/persistence.py`. */
async function model2vec(folder: FolderFiles, config: ConfigJson) {
  const checkpoint = await Checkpoint.of(folder)
  const embeddings = await checkpoint.needed([EMBEDDINGS, 'embedding.weight'])
  const mapping = await checkpoint.find(['mapping'])
  const weights = await checkpoint.find(['weights'])
  const { tokenizer, ...facts } = await tokenizerOf(folder)
  const pooling: Pooling = {
    flavour: 'model2vec',
    normalize: config.flag('normalize') ?? false,
    maxLength: config.isNull('max_length') ? null : (config.size('max_length') ?? DEFAULT_MAX_LENGTH),
    medianTokenLength: facts.medianTokenLength,
    droppedId: facts.unknownId,
    dtype: FLOAT_DTYPES[embeddings.dtype] ?? 'float32',
    ...(weights && { weights: WEIGHTS[weights.dtype] ?? 'float32' }),
  }
  // Without a mapping each token has a row of its own.
  const rows = mapping?.shape[0] ?? facts.vocabSize
  const types = [...TABLE_DTYPES, 'I8']
  checkTensor(embeddings, [mapping === undefined ? rows : undefined, undefined], types, ', by tokenizer.json')
  if (mapping !== undefined) checkTensor(mapping, [undefined], INTEGERS, '')
  if (weights !== undefined) checkTensor(weights, [rows], ['F64', ...TABLE_DTYPES], ', one for each id')
  return { modelType: MODEL2VEC, pooling, tokenizer, embeddings, mapping, weights, rows }
}

/** Source: sentence-transformers 6.2, `static_embedding.py`, `Normalize.py`. */
async function sentenceTransformers(folder: FolderFiles, modules: StaticModules) {
  const { path, normalizes, dimensions, prompt } = modules
  const files = within(folder, path)
  const embeddings = checkTensor(await (await Checkpoint.of(files)).needed(['embedding.weight']), [
    undefined,
    undefined,
  ])
  const { tokenizer, truncation } = await tokenizerOf(files)
  const pooling: Pooling = {
    flavour: 'sentence_transformers',
    normalize: normalizes,
    maxLength: truncation?.max_length ?? null,
    ...(truncation?.direction === 'Left' && { keepsLast: true }),
    dtype: FLOAT_DTYPES[embeddings.dtype],
    ...(dimensions !== undefined && { dimensions }),
    ...(prompt !== undefined && { prompt }),
  }
  const table = { ...embeddings, file: `${path}${embeddings.file}` }
  const modelType = STATIC_EMBEDDING
  const ofModel2Vec = { mapping: undefined, weights: undefined }
  return { modelType, pooling, tokenizer, embeddings: table, rows: table.shape[0], ...ofModel2Vec }
}

const ownSchema = z.strictObject({ accept_ids: z.boolean().optional() })

/**
 * A file of a static model's folder for this service alone: `{ "accept_ids": true }`.
 *
 * @throws InletError `model_failed` for other fields or types
 */
async function ownSettings(files: CheckpointFiles): Promise<Pick<Pooling, 'acceptIds'>> {
  const text = (await files.text(STATIC_SETTINGS_FILE)) ?? '{}'
  const { data, success } = ownSchema.safeParse(parsedFile(STATIC_SETTINGS_FILE, text))
  if (!success)
    throw folderError(STATIC_SETTINGS_FILE, `must be { "accept_ids": true or false }. Given: ${told(text)}`)
  return data.accept_ids === undefined ? {} : { acceptIds: data.accept_ids }
}

/**
 * The least and the greatest value of each dimension of a sample's embeddings, float32 [2, numbers of an embedding];
 * undefined if the folder has none.
 */
async function rangesOf(files: CheckpointFiles, width: number): Promise<CheckpointTensor | undefined> {
  if (!(await files.names()).includes(CALIBRATION_FILE)) return undefined
  const tensor = (await headerOf(files, CALIBRATION_FILE)).get('ranges')
  if (tensor === undefined) throw folderError(CALIBRATION_FILE, '"ranges" is missing')
  return checkTensor(tensor, [2, width], ['F32'], ', as embeddings are wide')
}

/** Weights as a table; float64 as pairs of 32 bits, since no kernel reads them. */
function weightsTable(weights: CheckpointTensor, rows: number): FolderTensor {
  const isDouble = weights.dtype === 'F64'
  return {
    ...{ ...declared(weights), table: POOLING_WEIGHT, shape: isDouble ? [rows, 2] : [rows] },
    ...{ stored: FLOAT_DTYPES[weights.dtype] ?? 'float32', dtype: 'float32' },
  }
}

/** A folder within the folder, `0_StaticEmbedding/`, or the folder itself. */
function within(folder: FolderFiles, path: string): CheckpointFiles {
  if (path === '') return folder
  return {
    source: folder.source,
    names: () => folder.names(path),
    text: (name) => folder.text(`${path}${name}`),
    open: (name) => folder.open(`${path}${name}`),
  }
}

/** tokenizer.json's truncation: most ids of a text, and which end of a longer one goes. */
const truncationSchema = z
  .object({ max_length: z.int().min(0), direction: z.enum(['Left', 'Right']).optional() })
  .nullish()

/** The tokenizer, and a static model's facts of it. */
async function tokenizerOf(files: CheckpointFiles) {
  const { card, json } = await folderTokenizer(files)
  if (json === undefined) throw folderError(TOKENIZER_FILE, 'is missing')
  const { data: truncation, success } = truncationSchema.safeParse(json.truncation)
  if (!success) {
    const rule = 'must be null, or have a `max_length` of at least 0 and a `direction` Left or Right'
    throw folderError(TOKENIZER_FILE, `\`truncation\` ${rule}. Given: ${told(json.truncation)}`)
  }
  const model = readModel(json, TOKENIZER_FILE)
  const ids = new Map(model.vocabulary)
  for (const { content, id } of readAddedTokens(json, model.vocabulary, TOKENIZER_FILE)) ids.set(content, id)
  // Unigram names its unknown token by its id, the others by its literal.
  const { unk_token: literal, unk_id: id } = model.json
  const named = typeof literal === 'string' ? ids.get(literal) : undefined
  const count = ids.size
  const lengths = Int32Array.from([...ids.keys()], (token) => [...token].length).sort()
  return {
    ...{ tokenizer: card, truncation, vocabSize: count },
    unknownId: named ?? (Number.isSafeInteger(id) ? (id as number) : undefined),
    /** The median of the tokens' lengths in code points, rounded down. */
    medianTokenLength: Math.floor((lengths[(count - 1) >> 1] + lengths[count >> 1]) / 2) || 0,
  }
}
