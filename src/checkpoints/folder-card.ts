import { realpath } from 'node:fs/promises'
import { readCard } from '../first-layer/cards/card-json.js'
import type { FolderSource, ModelCard } from '../first-layer/cards/model-card.js'
import { seedCard } from '../first-layer/cards/seed-card.js'
import { InletError, invalidField } from '../first-layer/errors.js'
import { isObject } from '../first-layer/tokens/tokenizer-file/fields.js'
import { checkpointCard } from './checkpoint-card.js'
import {
  CARD_FILE,
  CONFIG_FILE,
  folderError,
  MODEL_FILES,
  NoTablesError,
  SOURCE_FILE,
  TOKENIZER_FILE,
} from './checkpoint-files.js'
import { parsedFile, readConfig } from './config-json.js'
import { folderChat } from './folder-chat.js'
import { FolderFiles } from './folder-files.js'
import { folderTokenizer } from './folder-tokenizer.js'
import { howToConvert, howToMakeTokenizer } from './how-to-convert.js'
import { staticCard } from './static/card.js'
import { staticLayout } from './static/layout.js'

/**
 * Reads the card of the model in a folder: a checkpoint, a static model, a card in `inlet.json`, or a tokenizer alone.
 *
 * @throws InletError `model_failed` whose message begins with the name of the file
 */
export async function folderCard(id: string, path: string): Promise<ModelCard> {
  const folder = await FolderFiles.at(path)
  const stamp = await folder.stamp() // of before: what changes while it is read counts
  const revision = await revisionOf(folder)
  const { source, ...card } = await cardIn(id, path, folder)
  const stamped = source.type === 'folder' ? { ...source, stamp } : source
  return { ...card, source: stamped, ...(revision !== undefined && { revision }) }
}

/** Whether a folder has changed since its card was read. */
export async function hasChanged({ path, stamp }: FolderSource): Promise<boolean> {
  const now = FolderFiles.at(path).then((folder) => folder.stamp())
  return (await now.catch(() => undefined)) !== stamp
}

/** The commit that a folder was downloaded at: a snapshot of the Hub's cache, or what `inlet pull` has written down. */
async function revisionOf(folder: FolderFiles): Promise<string | undefined> {
  const [, snapshot] = /[\\/]snapshots[\\/]([0-9a-f]{7,64})$/.exec(await realpath(folder.path)) ?? []
  if (snapshot !== undefined) return snapshot
  try {
    const { commit } = JSON.parse((await folder.text(SOURCE_FILE)) ?? '{}')
    return typeof commit === 'string' ? commit : undefined
  } catch {
    return undefined // the folder's own business: the model is served without
  }
}

async function cardIn(id: string, path: string, folder: FolderFiles): Promise<ModelCard> {
  const names = await folder.names()
  const kind = MODEL_FILES.find((name) => names.includes(name))
  if (kind === CARD_FILE) return writtenCard(id, folder)
  try {
    if (kind === undefined || kind === TOKENIZER_FILE)
      throw new NoTablesError(CONFIG_FILE, `is missing. ${whyNoModel(names)}`)
    return await modelCard(id, path)
  } catch (error) {
    const card = error instanceof NoTablesError && (await tokensCard(id, folder, error.message))
    if (card) return card
    throw error
  }
}

/** A file of an adapter of PEFT's. */
const ADAPTER_FILE = 'adapter_config.json'

/** Why a folder of these files has no tables. */
function whyNoModel(names: readonly string[]): string {
  if (names.length === 0) return 'The folder is empty'
  if (names.includes(ADAPTER_FILE))
    return `${ADAPTER_FILE} makes it an adapter, which has no tables: merge it into its base model (merge_and_unload) and save that`
  const how = howToConvert(names, '.') ?? howToMakeTokenizer(new Set(names))
  return how ?? `A folder of a model has one of ${MODEL_FILES.join(', ')}`
}

/** The card of a folder that gives its tokenizer alone; undefined where there is none. */
async function tokensCard(id: string, folder: FolderFiles, why: string): Promise<ModelCard | undefined> {
  const { card: tokenizer, json, vocabSize, padTokenId } = await folderTokenizer(folder)
  if (json === undefined || tokenizer.type === 'none') return undefined
  const config = await readConfig(folder)
  const modelType = config?.text('model_type') ?? 'tokenizer'
  const pad = config?.tokenId('pad_token_id') ?? config?.tokenId('eos_token_id') ?? padTokenId
  const positionEmbedding = { type: 'none' }
  return {
    ...{ id, modelType, architecture: modelType, positionEmbedding, tokenizer, vocabSize },
    ...{ embeddingDim: 0, hiddenSize: 0, typeVocabSize: 0, dtype: 'float32', tablesUnavailable: why },
    layer: { name: modelType, positionEmbedding: 'none', steps: ['positions'] },
    maxPositionEmbeddings: config?.size('max_position_embeddings', 'n_positions') ?? 0,
    ...(pad !== undefined && { padTokenId: pad }),
    chat: await folderChat(folder, json, config),
    source: { type: 'folder', path: folder.path, tensors: [], files: [] },
  }
}

/** The card in `inlet.json`, with the folder's own tokenizer if it has one. */
async function writtenCard(id: string, folder: FolderFiles): Promise<ModelCard> {
  const json = parsedFile(CARD_FILE, (await folder.text(CARD_FILE)) ?? '')
  const { card: tokenizer, json: file, vocabSize: tokens, padTokenId } = await folderTokenizer(folder)
  try {
    const fields = readCard(json)
    if (file === undefined) return seedCard(id, fields)
    const given = isObject(json) ? json.encoding : undefined
    if (given !== undefined)
      throw invalidField('encoding', `must be left out beside ${TOKENIZER_FILE}, which makes the ids`, given)
    const { vocab_size: rows = tokens } = fields
    if (rows < tokens)
      throw invalidField('vocab_size', `must be at least ${tokens}, the tokens of ${TOKENIZER_FILE}`, rows)
    const chat = await folderChat(folder, file, undefined)
    const card = seedCard(id, { ...fields, vocab_size: rows })
    return { ...card, tokenizer, chat, ...(padTokenId !== undefined && { padTokenId }) }
  } catch (error) {
    const isOwn = error instanceof InletError && error.code === 'invalid_request'
    throw isOwn ? folderError(CARD_FILE, error.message) : error
  }
}

/**
 * The card of a checkpoint or a static model, from config.json and the headers of its safetensors.
 *
 * @throws InletError `model_failed` whose message begins with the name of the file
 */
export async function modelCard(id: string, path: string): Promise<ModelCard> {
  const folder = await FolderFiles.at(path)
  const config = await readConfig(folder)
  const layout = await staticLayout(folder, config)
  if (layout !== undefined) return staticCard(id, folder, layout)
  return (await checkpointCard(id, path, folder, config)).card
}
