import type { Model, OutputName, Tensors } from '../../../../../clients/typescript/src/index.js'
import type { Calls } from '../calls.js'
import { positionOf } from '../recipe/architectures.js'
import { asSent, embeddingsFields, positionFields, tokenizeFields } from '../recipe/calls.js'
import { documentsOf, idsOf, type Position, type Recipe } from '../recipe/recipe.js'
import { type Answer, type Batch, type Positions, placeIn, type TokenDocument } from './answer.js'
import { loadRows } from './load-rows.js'
import { tokenTexts } from './token-texts.js'

/** Schemes whose rows are added to the token rows. */
export const ADDED: readonly string[] = ['learned_absolute', 'sinusoidal']

/** The tensors of a batch that the page asks for: all but its rows. */
export const BATCH_OUTPUTS: readonly OutputName[] = [
  'input_ids',
  'target_ids',
  'attention_mask',
  'window_starts',
  'document_ids',
]

/** Positions of which the scheme's own tensors are drawn: a matrix of them has to fit the screen. */
const SHOWN_POSITIONS = 32

/** Reads a model's entry at the version that answered; undefined where no call was made. */
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
    client.inputEmbeddings(asSent(embeddingsFields(recipe, ['window_starts', 'document_ids'], false)), {
      signal,
    }),
    client.inputEmbeddings(asSent(embeddingsFields(recipe, BATCH_OUTPUTS)), { signal }),
  ])
  const batch = batchOf(batchAnswer)
  const { metadata } = batchAnswer
  const model = await modelOf(metadata.model, metadata.model_version)
  const documents = recipe.documents === 'ids' ? [await loadIds(client, recipe, model)] : texts
  const position = positionOf(recipe, model)
  const type = position?.type ?? model?.position_embedding ?? 'learned_absolute'
  const view = { first: 0, from: 0 }
  const offset = recipe.position_offset
  const adds = ADDED.includes(type)
  const [rows, positions] = await Promise.all([
    loadRows(client, recipe, batch, view, { adds, channels: model?.hidden_size ?? undefined, signal }),
    loadPositions(client, { type, position, model: metadata.model, offset, length: batch.length, signal }),
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
  const asked = { model: answer.model, offset: recipe.position_offset, length: batch.length, signal }
  const [rows, learned] = await Promise.all([
    loadRows(client, recipe, batch, { first, from }, { adds: position !== undefined, channels, signal }),
    positions?.type === 'learned_absolute'
      ? loadPositions(client, { type: positions.type, position: positionOf(recipe, model), ...asked })
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
  const answer = await client.tokenize(tokenizeFields(recipe, text), { signal })
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

function batchOf(answer: Tensors): Batch {
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

interface AskedPositions {
  readonly type: string
  /** Undefined: the model's own. */
  readonly position: Position | undefined
  readonly model: string
  readonly offset: number | undefined
  readonly length: number
  readonly signal: AbortSignal | undefined
}

async function loadPositions(
  client: Calls,
  { type, position, model, offset, length, signal }: AskedPositions,
): Promise<Positions | undefined> {
  if (type === 'none') return undefined
  // A learned table may have no more rows than the window takes; the others have a row for any place.
  const shown = type === 'learned_absolute' ? Math.min(length, SHOWN_POSITIONS) : SHOWN_POSITIONS
  const answer = await client.positionEmbeddings(model, positionFields(position, shown, offset), { signal })
  const { metadata } = answer
  return { type, offset: offset ?? 0, length: shown, tensors: Object.fromEntries(answer), metadata }
}

function ints(tensors: Tensors, name: string): Int32Array {
  return tensors.get(name)!.data as Int32Array
}
