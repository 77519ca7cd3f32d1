import {
  type Inlet,
  type InputEmbeddingsFields,
  type Model,
  type OutputName,
  Refused,
  type Tensors,
} from '../../../../clients/typescript/src/index.js'
import type { Answer, Batch, Positions, Rows } from './answer.js'
import { documentsOf, idsOf, type Recipe } from './recipe.js'
import type { TokenDocument } from './tokens.js'

const WINDOW_OUTPUTS: readonly OutputName[] = ['window_starts', 'document_ids']
/** The tensors of a batch that the page asks for: all except its rows. */
const BATCH_OUTPUTS: readonly OutputName[] = ['input_ids', 'target_ids', 'attention_mask', ...WINDOW_OUTPUTS]

/** The fields of a request for the tensors named. @param batch false: every window, in loader order */
export function embeddingsFields(
  recipe: Recipe,
  outputs: readonly OutputName[],
  batch = true,
): InputEmbeddingsFields {
  const { text: _text, documents, batch_index, seed, drop_last, beside: _beside, ...rest } = recipe
  const texts = documentsOf(recipe)
  return {
    ...(documents === 'ids' ? { input_ids: idsOf(recipe) } : { text: texts.length === 1 ? texts[0] : texts }),
    ...rest,
    ...(seed !== undefined && { shuffle: true, seed }),
    ...(drop_last === 'true' && { drop_last: true }),
    ...(batch && { batch_index }),
    outputs: [...outputs],
  }
}

/**
 * Everything that the cards show of a recipe. The calls that do not need one another go out together.
 *
 * @throws InletError
 */
export async function loadAnswer(client: Inlet, recipe: Recipe, signal?: AbortSignal): Promise<Answer> {
  const [{ data: models }, texts, all, asked] = await Promise.all([
    client.models({ signal }),
    Promise.all(documentsOf(recipe).map((text) => loadDocument(client, recipe, text, signal))),
    client.inputEmbeddings(embeddingsFields(recipe, WINDOW_OUTPUTS, false), { signal }),
    client.inputEmbeddings(embeddingsFields(recipe, BATCH_OUTPUTS), { signal }),
  ])
  const { metadata } = asked
  const model =
    models.find(({ id }) => id === metadata.model) ?? (await client.model(metadata.model, { signal }))
  const batch = readBatch(asked)
  const other = recipe.beside && { ...recipe, position_embedding: recipe.beside }
  const [documents, positions, beside] = await Promise.all([
    recipe.documents === 'ids' ? Promise.all([loadIds(client, recipe, model, signal)]) : texts,
    loadPositions(client, { recipe, batch, model }, signal),
    other && loadPositions(client, { recipe: other, batch, model }, signal).catch(sentenceOf),
  ])
  const rows = await loadRows(client, { recipe, batch, positions }, { first: 0, from: 0 }, signal)
  const counts = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Number(value)]))
  const windows = { windowStarts: ints(all, 'window_starts'), windowDocuments: ints(all, 'document_ids') }
  return { recipe, model, models, documents, counts, ...windows, batch, rows, positions, beside }
}

/** Why the service refuses the scheme that stands beside: a sentence in its column. What else fails, fails for all. */
function sentenceOf(reason: unknown): string {
  if (reason instanceof Refused && reason.status === 422) return reason.message
  throw reason
}

async function loadDocument(
  client: Inlet,
  { model }: Recipe,
  text: string,
  signal?: AbortSignal,
): Promise<TokenDocument> {
  const answer = await client.tokenize({ text, model }, { signal })
  const [bytes, ids] = [new TextEncoder().encode(text), ints(answer, 'input_ids')]
  const ranges = answer.get('token_ranges')?.data
  if (ranges === undefined) return { bytes, ids, starts: ints(answer, 'token_starts') }
  const starts = Int32Array.from({ length: ids.length + 1 }, (_, token) =>
    token < ids.length ? ranges[2 * token] : (ranges.at(-1) ?? 0),
  )
  return { bytes, ids, starts, ends: Int32Array.from(ids, (_, token) => ranges[2 * token + 1]) }
}

/** A document that is given as ids: its text is what each of them stands for. */
async function loadIds(
  client: Inlet,
  recipe: Recipe,
  model: Model,
  signal?: AbortSignal,
): Promise<TokenDocument> {
  const ids = Int32Array.from(idsOf(recipe))
  const texts = await tokenTexts(client, model, ids, signal)
  const parts = texts.map((text) => new TextEncoder().encode(text))
  const starts = new Int32Array(ids.length + 1)
  for (const [token, { length }] of parts.entries()) starts[token + 1] = starts[token] + length
  return {
    ...{ ids, starts, isNumbers: !hasTexts(model) },
    bytes: new TextEncoder().encode(texts.join('')),
  }
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

function ints(tensors: Tensors, name: string): Int32Array {
  return tensors.get(name)!.data as Int32Array
}

/** Positions of which the scheme's own tensors are drawn: a matrix of them has to fit the screen. */
const SHOWN_POSITIONS = 32

async function loadPositions(
  client: Inlet,
  { recipe, batch, model }: Pick<Answer, 'recipe' | 'batch' | 'model'>,
  signal: AbortSignal | undefined,
): Promise<Positions | undefined> {
  const { position_embedding, position_offset } = recipe
  const type = position_embedding ?? model.position_embedding ?? 'none'
  if (type === 'none') return undefined
  const offset = position_offset ?? 0
  if (type === 'learned_absolute') {
    // The recipe's own call: a table may have fewer rows than the window has positions, which the service refuses.
    const own = await client.inputEmbeddings(embeddingsFields(recipe, ['position_embeddings']), { signal })
    const rows = own.get('position_embeddings')!
    const [length, channels] = [Math.min(batch.length, SHOWN_POSITIONS), rows.shape[1]]
    const data = rows.data.subarray(0, length * channels)
    const shown = { dtype: rows.dtype, shape: [length, channels], data }
    return { type, offset, length, tensors: { position_embeddings: shown } }
  }
  // The other schemes have rows for any position.
  const fields = { position_embedding, position_offset, context_length: SHOWN_POSITIONS }
  const answer = await client.positionEmbeddings(model.id, fields, { signal })
  return { type, offset, length: SHOWN_POSITIONS, tensors: Object.fromEntries(answer) }
}

/** The part of a batch that is on screen. */
type View = Pick<Rows, 'first' | 'from'>

/** Most positions of a window, and windows, of which rows are on screen. */
const [SHOWN_LENGTH, SHOWN_WINDOWS] = [32, 8]

export function viewOf({ window, position }: { window: number; position: number }): View {
  return { first: window - (window % SHOWN_WINDOWS), from: position - (position % SHOWN_LENGTH) }
}

/** The rows of a view of the batch: its ids again, with their positions, and the position rows if the scheme adds any. */
export async function loadRows(
  client: Inlet,
  { batch, recipe, positions }: Pick<Answer, 'batch' | 'recipe' | 'positions'>,
  { first, from }: View,
  signal?: AbortSignal,
): Promise<Rows> {
  const length = Math.min(SHOWN_LENGTH, batch.length - from)
  const windows = Math.min(SHOWN_WINDOWS, batch.windows - first)
  const ids = Array.from({ length: windows }, (_, index) => {
    const start = (first + index) * batch.length + from
    return Array.from(batch.ids.subarray(start, start + length))
  })
  const outputs: OutputName[] = ['token_embeddings', 'input_embeddings']
  if (positions?.tensors.position_embeddings !== undefined) outputs.push('position_embeddings')
  const { model, position_embedding, position_offset = 0 } = recipe
  const fields = { input_ids: ids, model, position_embedding, position_offset: position_offset + from }
  const tensors = await client.inputEmbeddings({ ...fields, outputs }, { signal })
  const token = tensors.get('token_embeddings')!
  const sum = tensors.get('input_embeddings')!
  const position = tensors.get('position_embeddings')
  return {
    ...{ first, from, windows, length, version: tensors.metadata.model_version },
    channels: sum.shape[2],
    tokenChannels: token.shape[2],
    positionChannels: position?.shape[1] ?? 0,
    token: token.data as Float32Array,
    sum: sum.data as Float32Array,
    position: position?.data as Float32Array | undefined,
  }
}

const MOST_TEXTS = 256

const hasTexts = ({ tokenizer }: Model) => tokenizer?.available !== false

/** The text of each id: " cat" for 3797. An id that has no text is written as its number. */
export function tokenTexts(
  client: Inlet,
  model: Model,
  ids: ArrayLike<number>,
  signal?: AbortSignal,
): Promise<string[]> {
  const count = hasTexts(model) ? MOST_TEXTS : 0
  const textOf = async (id: number, index: number) => {
    if (index >= count) return `#${id}`
    const found = client.detokenize({ input_ids: [id], model: model.id }, { signal })
    return found.then(({ text = `#${id}` }) => text).catch(() => `#${id}`)
  }
  return Promise.all(Array.from(ids, textOf))
}
