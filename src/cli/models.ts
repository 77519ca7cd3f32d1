import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { folderCard } from '../checkpoints/folder-card.js'
import { bytesToRead } from '../checkpoints/tables/read-tables.js'
import { describeTokenizer, type ModelCard, type TokenizerCard } from '../first-layer/cards/model-card.js'
import { InletError } from '../first-layer/errors.js'
import { defaultFolders, describesModel, modelFoldersIn } from '../models/model-folders.js'
import { isModelId, MODEL_ID_RULE } from '../models/model-id.js'
import { type Call, type Command, failing, flagsIn } from './program.js'
import { byteText, columns, styleFor, visible } from './terminal.js'

export const models: Command = {
  name: 'models',
  summary: 'Lists the models of a folder (./models), or of the Hugging Face cache, and why some are refused.',
  takes: '[DIR]',
  examples: ['inlet models', 'inlet models ~/.cache/huggingface/hub --json'],
  flags: { Flags: flagsIn({ '--json': 'One JSON array, for programs. Default: a table.' }) },
  async run({ files, values }: Call) {
    const given = files[0] ?? (process.env.MODELS_DIR || undefined)
    const folders = given ? [given] : await defaultFolders()
    const found = (await Promise.all(folders.map(listedModels))).flat()
    if (values.has('json')) process.stdout.write(`${JSON.stringify(found.map(fields), null, 2)}\n`)
    else process.stdout.write(found.length === 0 ? '' : table(found))
    if (found.length === 0) process.stderr.write(`${visible(folders.join(', '))} holds no models.\n`)
    if (!values.has('json')) process.stderr.write(`Next: ${nextCommand(found, files[0])}\n`)
  },
}

/** The command that follows a list: it pulls a model, or serves those that there are. */
function nextCommand(found: readonly ListedModel[], folder: string | undefined): string {
  const served = found.filter(({ card }) => card?.source.type === 'folder')
  if (served.length === 0) return 'inlet pull openai-community/gpt2'
  if (folder === undefined) return 'inlet serve'
  const [{ name, path }] = served as [ListedModel]
  if (join(folder, name) === path) return `MODELS_DIR=${visible(folder)} inlet serve`
  // The folder is a model itself, or a cache, of which MODELS_DIR would find nothing.
  return `MODELS=${visible(`${basename(name).replace(/@.*/, '')}=${path}`)} inlet serve`
}

/** A model as programs get it, in the words of `GET /v1/models/{model}`. */
function fields({ name, path, card, refusal }: ListedModel) {
  if (card === undefined) return { name, path, error: refusal }
  return {
    ...{ name, path, model_type: card.modelType },
    vocab_size: card.vocabSize,
    ...(card.tablesUnavailable === undefined
      ? { embedding_dim: card.embeddingDim, hidden_size: card.hiddenSize, dtype: card.dtype }
      : { tables: null, tables_unavailable: card.tablesUnavailable }),
    ...{ max_position_embeddings: card.maxPositionEmbeddings, bytes_read: bytesRead(card) },
    tokenizer: describeTokenizer(card.tokenizer, {
      unavailable: card.tokenizer.type === 'none' ? card.tokenizer.reason : undefined,
    }),
  }
}

const HEAD = ['name', 'family', 'V × C', 'dtype', 'read', 'tokenizer']

function table(found: readonly ListedModel[]): string {
  const style = styleFor(process.stdout)
  const [head = '', ...lines] = columns([HEAD, ...found.map(cells)], () => false)
  const rows = lines.map((line, i) => {
    const { card, refusal = '' } = found[i]
    return card ? line : line.padEnd(head.indexOf('family')) + style.bad(`refused: ${visible(refusal)}`)
  })
  return `${style.bold(head)}\n${rows.join('\n')}\n`
}

/** The cells of a row; the name alone where the model is refused. */
function cells({ name, card }: ListedModel): string[] {
  if (card === undefined) return [visible(name), '', '', '', '', '']
  const { modelType, vocabSize, embeddingDim, hiddenSize, dtype, tokenizer } = card
  if (card.tablesUnavailable !== undefined)
    return [visible(name), visible(modelType), `${vocabSize} tokens only`, '', '', encoder(tokenizer)]
  const hidden = hiddenSize === embeddingDim ? '' : ` (${hiddenSize})`
  return [
    ...[visible(name), modelType, `${vocabSize} × ${embeddingDim}${hidden}`, dtype],
    ...[card.source.type === 'folder' ? byteText(bytesRead(card)) : 'drawn', encoder(tokenizer)],
  ]
}

function encoder(tokenizer: TokenizerCard): string {
  if (tokenizer.type === 'tiktoken') return tokenizer.encoding
  if (tokenizer.type === 'foreign') return `tokenizers (${tokenizer.spec.component})`
  if (tokenizer.type === 'none') return `none: ${visible(tokenizer.reason)}`
  return tokenizer.type === 'wordpiece' ? 'WordPiece' : 'byte-level BPE'
}

interface ListedModel {
  /** The folder's name, or `org/model` in the Hugging Face cache, followed by `@` and the commit if there are several. */
  readonly name: string
  readonly path: string
  readonly card?: ModelCard
  readonly refusal?: string
}

/**
 * Lists the models in a folder of models or in the Hugging Face cache, or the one model whose folder it is.
 * Reads config and headers, no table.
 * @throws CommandError where it cannot be read
 */
async function listedModels(folder: string): Promise<ListedModel[]> {
  if (await describesModel(folder)) return [await listed(basename(resolve(folder)), folder)]
  const found = await Promise.all(
    (await modelFoldersIn(folder).catch(failing(`${folder} cannot be read`))).map(({ name, path }) => {
      const [, kind, org, model] = CACHED.exec(name) ?? []
      if (kind !== undefined) return kind === 'models' ? inCache(`${org}/${model}`, path) : []
      return isModelId(name)
        ? listed(name, path)
        : { name, path, refusal: `its name must be ${MODEL_ID_RULE}` }
    }),
  )
  return found.flat()
}

const CACHED = /^(models|datasets|spaces)--(.+?)--(.+)$/

async function inCache(name: string, path: string): Promise<ListedModel[]> {
  const commits = (await readdir(join(path, 'snapshots')).catch(() => [])).sort()
  const main = await readFile(join(path, 'refs', 'main'), 'utf8').catch(() => '')
  return Promise.all(
    commits.map((commit) =>
      listed(commit === main.trim() ? name : `${name}@${commit}`, join(path, 'snapshots', commit)),
    ),
  )
}

async function listed(name: string, path: string): Promise<ListedModel> {
  try {
    return { name, path, card: await folderCard(name, path) }
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    return { name, path, refusal: error.message }
  }
}

function bytesRead({ source }: ModelCard): number {
  if (source.type !== 'folder') return 0
  return source.tensors.reduce((sum, tensor) => sum + bytesToRead(tensor), 0)
}
