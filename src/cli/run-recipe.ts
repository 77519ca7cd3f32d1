import { z } from 'zod'
import { chatSettings } from '../corpus/ingest-chats.js'
import { datasetUpload, turnsRefusal } from '../corpus/upload-options.js'
import { encodingName, type ModelCard } from '../first-layer/cards/model-card.js'
import { DEFAULT_ENCODING, ENCODING_NAMES } from '../first-layer/tokens/encodings.js'
import { hashOfModel } from '../run/open-model.js'
import { holdsMasks, holdsTensors, type Recipe, type RunTokenizer, TARGETS } from '../run/recipe.js'
import type { ThreadData } from '../run/run-thread.js'
import { embedFlags, optionFlags } from './embed.js'
import { FieldFlags } from './field-flags.js'
import { localModel, modelCard } from './local-models.js'
import { oneOf, UsageError } from './program.js'

const { encoding, model, allowed_special, document_start, document_end, documents, text_field, ...rest } =
  datasetUpload.shape
const { mask, turns, trailing, refused, chat_template } = rest
const chatFields = { mask, turns, trailing, refused, chat_template }

/** The options of `inlet run` for texts: the fields of an upload, under the service's names. */
const runFields = z
  .strictObject({
    to: z
      .enum(TARGETS)
      .default('ids')
      .describe(
        'ids: the files of a dataset. bin: ids without a header, as nanoGPT’s train.bin. megatron: .bin and .idx of Megatron-LM. safetensors, npy: embeddings.',
      ),
    encoding: encoding.describe('Name of the encoding that makes ids of text. Default: gpt2.'),
    model: model.describe('The tokenizer of a model instead: a name that inlet models lists, or a folder.'),
    allowed_special,
    document_start,
    document_end,
    documents: documents.describe('.txt: one document (default), or one a line; empty lines are none.'),
    text_column: text_field.describe(
      '.ndjson, .parquet: the member, or column, that has the text. Default: text.',
    ),
    validation: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe(
        'The share of documents, as 0.01, that goes to OUT/validation instead. Each goes by the hash of its ids, in whatever shard it stands.',
      ),
    dtype: z
      .enum(['uint16', 'uint32'])
      .optional()
      .describe(
        '--to bin: uint16 or uint32. Default: uint16 where every id fits. Of tensors: float32, float16 or bfloat16.',
      ),
    ...chatFields,
  })
  .superRefine(({ model, encoding, to, dtype, ...given }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (model !== undefined && encoding !== undefined) refuse('encoding', 'must not be given beside `model`')
    if (dtype !== undefined && to !== 'bin') refuse('dtype', 'must not be given without `to` bin')
    const asked = Object.keys(chatFields).find((name) => given[name as keyof typeof given] !== undefined)
    if (asked !== undefined && !holdsMasks(to))
      refuse(asked, `must not be given beside \`to\` ${to}: it has no place for a mask`)
    const refusal = turnsRefusal(given)
    if (refusal !== undefined) refuse('turns', refusal)
  })

const flags = new FieldFlags(runFields)

export const recipeFlags = flags.flags

export const fieldsNamed = (message: string) => flags.named(embedFlags.named(message))

const own = new Set(recipeFlags.map(({ name }) => name))

export const embeddingFlags = optionFlags.filter(({ name }) => !own.has(name))

/** The data that a run's threads are started with. @throws UsageError for flags that do not fit, CommandError for a model */
export async function runSetup(
  values: ReadonlyMap<string, string>,
  threads: number,
): Promise<Pick<ThreadData, 'recipe' | 'shared'>> {
  const isTensors = holdsTensors(values.get('to'))
  const given = new Map([...values].filter(([name]) => !isTensors || name !== 'dtype')) // that of tensors is another
  const { encoding, model, mask, turns, trailing, refused, chat_template, ...asked } = flags.read(given)
  const { to } = asked
  const chats = { mask, turns, trailing, refused, chat_template }
  const recipe = (tokenizer: RunTokenizer, card?: ModelCard, embedding?: Recipe['embedding']): Recipe => ({
    ...{ documents: 'one', text_column: 'text', ...asked, tokenizer, embedding },
    chats: holdsMasks(to) ? chatSettings(chats, card?.chat) : undefined,
  })
  if (!isTensors) {
    const other = embeddingFlags.find(({ name }) => values.has(name))
    if (other !== undefined)
      throw new UsageError(`--${other.name} must not be given without --to safetensors or npy.`)
    if (model === undefined) return { recipe: recipe(tokenizerNamed(encoding)) }
    const card = await modelCard(model)
    return { recipe: recipe(tokenizerOfCard(card), card) }
  }
  if (encoding !== undefined)
    throw new UsageError(`--encoding must not be given beside --to ${to}: the model has its own.`)
  const options = embedFlags.read(values)
  const shared = { ...(await localModel(model, threads)), options }
  const embedding = { query: embedFlags.query(values), model: hashOfModel(shared) }
  return { recipe: recipe(tokenizerOfCard(shared.card), shared.card, embedding), shared }
}

/** The tokenizer of an encoding, as plain data, with what a dataset of it has as its encoding. */
function tokenizerNamed(given: string = DEFAULT_ENCODING): RunTokenizer {
  const encoding = oneOf('encoding', ENCODING_NAMES, given)
  return { card: { type: 'tiktoken', encoding }, encoding }
}

function tokenizerOfCard(card: ModelCard): RunTokenizer {
  return {
    card: card.tokenizer,
    encoding: encodingName(card) ?? card.id,
    padTokenId: card.source.type === 'folder' ? card.padTokenId : undefined,
  }
}
