import {
  type Model,
  type OutputName,
  Refused,
  type Tensors,
} from '../../../../clients/typescript/src/index.js'
import { type Answer, type Batch, type Positions, placeIn, type Rows } from './answer.js'
import { asSent, type Calls, embeddingsFields, rowsFields } from './calls.js'
import { documentsOf, idsOf, type Position, positionOf, type Recipe } from './recipe.js'
import type { TokenDocument } from './tokens.js'

const ADDED: readonly string[] = ['learned_absolute', 'sinusoidal']

const WINDOW_OUTPUTS: readonly OutputName[] = ['window_starts', 'document_ids']

/** The tensors of a batch that the page asks for: all except its rows. */
export const BATCH_OUTPUTS: readonly OutputName[] = [
  ...(['input_ids', 'target_ids', 'attention_mask'] as const),
  ...WINDOW_OUTPUTS,
]

/** Positions of which the scheme's own tensors are drawn: a matrix of them has to fit the screen. */
const SHOWN_POSITIONS = 32

/** Reads a model's entry at the version that answered; undefined if no call was made. */
export type ModelOf = (name: string, version: string) => Promise<Model | undefined>

/**
 * Everything that the cards show of a recipe. The calls that do not need one another go out together.
 *
 * @param modelOf for the scheme, the width and the tokenizer of the model that answers
 * @throws InletError
 */
export async function loadAnswer(
  client: Calls,
  recipe: Recipe,
  modelOf: ModelOf,
  signal?: AbortSignal,
): Promise<Answer> {
  const [texts, all, batchAnswer] = await Promise.all([
    Promise.all(documentsOf(recipe).map((text) => loadDocument(client, recipe, text, signal))),
    client.inputEmbeddings(asSent(embeddingsFields(recipe, WINDOW_OUTPUTS, false)), { signal }),
    client.inputEmbeddings(asSent(embeddingsFields(recipe, BATCH_OUTPUTS)), { signal }),
  ])
  const batch = readBatch(batchAnswer)
  const { metadata } = batchAnswer
  const model = await modelOf(metadata.model, metadata.model_version)
  const documents = recipe.documents === 'ids' ? [await loadIds(client, recipe, model)] : texts
  const position = positionOf(recipe, model)
  const type = position?.type ?? model?.position_embedding ?? 'learned_absolute'
  const options = { adds: ADDED.includes(type), channels: model?.hidden_size ?? undefined, signal }
  const [rows, positions] = await Promise.all([
    loadRows(client, recipe, batch, { first: 0, from: 0 }, options),
    loadPositions(client, recipe, metadata.model, position, type, batch.length, signal),
  ])
  return {
    recipe,
    model: metadata.model,
    modelVersion: metadata.model_version,
    documents,
    counts: {
      tokens: Number(metadata.num_tokens),
      characters: Number(metadata.num_characters),
      windows: Number(metadata.num_windows),
      droppedTokens: Number(metadata.num_dropped_tokens),
      batches: Number(metadata.num_batches),
    },
    windowStarts: ints(all, 'window_starts'),
    windowDocuments: ints(all, 'document_ids'),
    batch,
    rows,
    positions,
    placeOf: ({ document, token }) => placeIn(batch, document, token),
  }
}

/** The same answer with the rows that the tables have now. @param model the entry of the model that answers */
export async function renewed(
  client: Calls,
  answer: Answer,
  model: Model,
  signal: AbortSignal,
): Promise<Answer> {
  const { recipe, batch, positions } = answer
  const { first, from, channels, position } = answer.rows
  const type = positions?.type
  const [rows, learned] = await Promise.all([
    loadRows(client, recipe, batch, { first, from }, { adds: position !== undefined, channels, signal }),
    type === 'learned_absolute'
      ? loadPositions(client, recipe, answer.model, positionOf(recipe, model), type, batch.length, signal)
      : positions,
  ])
  return { ...answer, modelVersion: rows.version, rows, positions: learned }
}

async function loadDocument(
  client: Calls,
  recipe: Recipe,
  text: string,
  signal?: AbortSignal,
): Promise<TokenDocument> {
  const answer = await client.tokenize({ text, model: recipe.model }, { signal })
  const ids = ints(answer, 'input_ids')
  const ranges = answer.get('token_ranges')?.data
  if (ranges === undefined) return { text, ids, starts: ints(answer, 'token_starts') }
  const starts = Int32Array.from({ length: ids.length + 1 }, (_, token) =>
    token < ids.length ? ranges[2 * token] : (ranges.at(-1) ?? 0),
  )
  return { text, ids, starts }
}

/** A document that is given as ids: its text is what each of them stands for. */
async function loadIds(client: Calls, recipe: Recipe, model: Model | undefined): Promise<TokenDocument> {
  const ids = Int32Array.from(idsOf(recipe))
  const isNumbers = model?.tokenizer?.available === false
  const texts = await tokenTexts(client, model?.id ?? recipe.model, ids, isNumbers)
  const encoder = new TextEncoder()
  const starts = new Int32Array(ids.length + 1)
  texts.forEach((text, token) => {
    starts[token + 1] = starts[token] + encoder.encode(text).length
  })
  return { text: texts.join(''), ids, starts, isNumbers }
}

function readBatch(answer: Tensors): Batch {
  const [windows, length] = answer.get('input_ids')!.shape
  return {
    windows,
    length,
    ids: ints(answer, 'input_ids'),
    targets: ints(answer, 'target_ids'),
    mask: ints(answer, 'attention_mask'),
    documents: ints(answer, 'document_ids'),
    starts: ints(answer, 'window_starts'),
  }
}

/** @param position undefined: the model's own */
async function loadPositions(
  client: Calls,
  { position_offset: offset }: Recipe,
  model: string,
  position: Position | undefined,
  type: string,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Positions | undefined> {
  if (type === 'none') return undefined
  // A learned table may have no more rows than the window takes; the others have a row for any place.
  const shown = type === 'learned_absolute' ? Math.min(length, SHOWN_POSITIONS) : SHOWN_POSITIONS
  const fields = { position_embedding: position, position_offset: offset, context_length: shown }
  const tensors = Object.fromEntries(await client.positionEmbeddings(model, fields, { signal }))
  return { type, offset: offset ?? 0, length: shown, tensors }
}

function ints(tensors: Tensors, name: string): Int32Array {
  return tensors.get(name)!.data as Int32Array
}

/** Most places of a window, and windows, of which rows are on screen. */
const SHOWN_PLACES = 32
const SHOWN_WINDOWS = 8

const MOST_NUMBERS = 1 << 20

/** The part of a batch that is on screen. */
interface View {
  readonly first: number
  readonly from: number
}

export function viewOf({ window, place }: { window: number; place: number }): View {
  return {
    first: window - (window % SHOWN_WINDOWS),
    from: place - (place % SHOWN_PLACES),
  }
}

/**
 * The rows of a view of the batch: ids in the order of the windows, with their positions.
 *
 * @param channels C, where it is known: wide rows come fewer at a time
 */
export async function loadRows(
  client: Calls,
  recipe: Recipe,
  batch: Batch,
  view: View,
  options: { readonly adds: boolean; readonly channels?: number; readonly signal?: AbortSignal },
): Promise<Rows> {
  const { channels = 256, adds, signal } = options
  const length = Math.min(SHOWN_PLACES, batch.length - view.from)
  const most = Math.max(1, Math.floor(MOST_NUMBERS / (length * channels)))
  const windows = Math.min(SHOWN_WINDOWS, batch.windows - view.first, most)
  const ids = Array.from({ length: windows }, (_, index) => {
    const start = (view.first + index) * batch.length + view.from
    return Array.from(batch.ids.subarray(start, start + length))
  })
  const outputs: OutputName[] = ['token_embeddings', 'input_embeddings']
  if (adds) outputs.push('position_embeddings')
  const offset = (recipe.position_offset ?? 0) + view.from
  const tensors = await client.inputEmbeddings(rowsFields(recipe, ids, offset, outputs), { signal })
  const token = tensors.get('token_embeddings')!
  const sum = tensors.get('input_embeddings')!
  const position = tensors.get('position_embeddings')
  return {
    ...view,
    version: tensors.metadata.model_version,
    windows,
    length,
    channels: sum.shape[2],
    tokenChannels: token.shape[2],
    positionChannels: position?.shape[1] ?? 0,
    token: token.data as Float32Array,
    sum: sum.data as Float32Array,
    position: position?.data as Float32Array | undefined,
  }
}

const MOST_TEXTS = 256

/** Questions are not given up: the next card may wait for the same text. */
const known = new Map<string, Promise<string>>()

/**
 * The text of each id: " cat" for 3797. An id that has no text is written as its number.
 *
 * @param isNumbers the model has no tokenizer: no id has a text, and no call is made
 */
export function tokenTexts(
  client: Calls,
  model: string | undefined,
  ids: ArrayLike<number>,
  isNumbers: boolean,
): Promise<string[]> {
  const count = isNumbers ? 0 : MOST_TEXTS
  return Promise.all(Array.from(ids, (id, index) => (index < count ? textOf(client, model, id) : `#${id}`)))
}

function textOf(client: Calls, model: string | undefined, id: number): Promise<string> {
  const key = `${model ?? ''} ${id}`
  const text = known.get(key) ?? ask(client, model, id)
  known.set(key, text)
  text.catch(() => known.delete(key))
  return text
}

async function ask(client: Calls, model: string | undefined, id: number): Promise<string> {
  try {
    return (await client.detokenize({ input_ids: [id], model })).text
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return `#${id}`
    throw error
  }
}
