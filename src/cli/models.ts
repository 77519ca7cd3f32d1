import { describeTokenizer, type TokenizerCard } from '../first-layer/cards/model-card.js'
import { type ListedModel, listedModels } from '../service/models/sources/list-models.js'
import { defaultFolders } from '../service/models/sources/model-folders.js'
import { type Call, type Command, CommandError, flagsIn } from './program.js'
import { byteText, styleFor, visible } from './terminal.js'

/** `inlet models`: the models of a folder. */
export const models: Command = {
  name: 'models',
  summary: 'Lists the models of a folder (./models), or of the Hugging Face cache, and why some are refused.',
  takes: '[DIR]',
  examples: ['inlet models', 'inlet models ~/.cache/huggingface/hub --json'],
  flags: { Flags: flagsIn({ '--json': 'One JSON array, for programs. Default: a table.' }) },
  async run({ files, values }: Call) {
    const given = files[0] ?? (process.env.MODELS_DIR || undefined)
    const folders = given ? [given] : await defaultFolders()
    const found = (await Promise.all(folders.map(listedIn))).flat()
    if (values.has('json')) process.stdout.write(`${JSON.stringify(found.map(fields), null, 2)}\n`)
    else process.stdout.write(found.length === 0 ? '' : table(found))
    if (found.length === 0) process.stderr.write(`${visible(folders.join(', '))} holds no models.\n`)
    if (!values.has('json')) process.stderr.write(`Next: ${nextCommand(found, files[0])}\n`)
  },
}

async function listedIn(folder: string): Promise<ListedModel[]> {
  return listedModels(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error
    throw new CommandError(`${folder} must be a folder that can be read (${error.code}).`, { cause: error })
  })
}

/** The command that follows a list: it pulls a model, or serves those that there are. */
function nextCommand(found: readonly ListedModel[], folder: string | undefined): string {
  if (!found.some(({ card }) => card?.source.type === 'folder')) return 'inlet pull openai-community/gpt2'
  return folder === undefined ? 'inlet serve' : `MODELS_DIR=${visible(folder)} inlet serve`
}

/** A model as programs get it, in the words of `GET /v1/models/{model}`. */
function fields({ name, path, card, bytesRead, refusal }: ListedModel) {
  if (card === undefined) return { name, path, error: refusal }
  return {
    ...{ name, path, model_type: card.modelType },
    vocab_size: card.vocabSize,
    ...(card.tablesUnavailable === undefined
      ? { embedding_dim: card.embeddingDim, hidden_size: card.hiddenSize, dtype: card.dtype }
      : { tables: null, tables_unavailable: card.tablesUnavailable }),
    ...{ max_position_embeddings: card.maxPositionEmbeddings, bytes_read: bytesRead },
    tokenizer: describeTokenizer(card.tokenizer, {
      unavailable: card.tokenizer.type === 'none' ? card.tokenizer.reason : undefined,
    }),
  }
}

const HEAD = ['name', 'family', 'V × C', 'dtype', 'read', 'tokenizer']

function table(found: readonly ListedModel[]): string {
  const style = styleFor(process.stdout)
  const rows = [HEAD, ...found.map(cells)]
  const widths = HEAD.map((_, column) =>
    Math.max(...rows.map((row) => (row.length > 2 ? row[column].length : 0))),
  )
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, ...rest]) => {
    const first = name.padEnd(width)
    if (rest.length === 1) return `${first}  ${style.bad(`refused: ${rest[0]}`)}`
    return [first, ...rest.map((cell, column) => cell.padEnd(widths[column + 1]))].join('  ').trimEnd()
  })
  return `${style.bold(lines[0])}\n${lines.slice(1).join('\n')}\n`
}

/** The cells of a row; name and reason alone where the model is refused. */
function cells({ name, card, bytesRead, refusal }: ListedModel): string[] {
  if (card === undefined) return [visible(name), visible(refusal ?? '')]
  const { modelType, vocabSize, embeddingDim, hiddenSize, dtype, tokenizer } = card
  if (card.tablesUnavailable !== undefined)
    return [visible(name), visible(modelType), `${vocabSize} tokens only`, '', '', encoder(tokenizer)]
  const hidden = hiddenSize === embeddingDim ? '' : ` (${hiddenSize})`
  return [
    ...[visible(name), modelType, `${vocabSize} × ${embeddingDim}${hidden}`, dtype],
    ...[bytesRead ? byteText(bytesRead) : 'drawn', encoder(tokenizer)],
  ]
}

/** The tokenizer in a word or two. */
function encoder(tokenizer: TokenizerCard): string {
  switch (tokenizer.type) {
    case 'tiktoken':
      return tokenizer.encoding
    case 'byte_pair':
      return 'byte-level BPE'
    case 'wordpiece':
      return 'WordPiece'
    case 'foreign':
      return `tokenizers (${tokenizer.spec.component})`
    case 'none':
      return `none: ${visible(tokenizer.reason)}`
  }
}
