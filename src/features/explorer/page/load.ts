import {
  type Inlet,
  type InputEmbeddingsFields,
  type Model,
  type OutputName,
  Refused,
  type Tensor,
  type Tensors,
} from '../../../../clients/typescript/src/index.js'
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

/** All that the cards show of a recipe: every number is one that the service gave. */
export type Answer = Awaited<ReturnType<typeof loadAnswer>>

/**
 * Everything that the cards show of a recipe. The calls that do not need one another go out together.
 *
 * @throws InletError
 */
export async function loadAnswer(client: Inlet, recipe: Recipe) {
  const [{ data: models }, texts, all, asked] = await Promise.all([
    client.models(),
    Promise.all(documentsOf(recipe).map((text) => loadDocument(client, recipe, text))),
    client.inputEmbeddings(embeddingsFields(recipe, WINDOW_OUTPUTS, false)),
    client.inputEmbeddings(embeddingsFields(recipe, BATCH_OUTPUTS)),
  ])
  const { metadata } = asked
  const model = models.find(({ id }) => id === metadata.model) ?? (await client.model(metadata.model))
  const batch = readBatch(asked)
  const other = recipe.beside && { ...recipe, position_embedding: recipe.beside }
  const [documents, positions, beside] = await Promise.all([
    recipe.documents === 'ids' ? Promise.all([loadIds(client, recipe, model)]) : texts,
    loadPositions(client, recipe, batch, model),
    other && loadPositions(client, other, batch, model).catch(sentenceOf),
  ])
  return {
    ...{ recipe, model, models, documents, batch, positions },
    /** `num_tokens` and the like. */
    counts: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Number(value)])),
    /** Where every window begins, in the loader's order. */
    windowStarts: ints(all, 'window_starts'),
    windowDocuments: ints(all, 'document_ids'),
    rows: await loadRows(client, { recipe, batch, positions }, { first: 0, from: 0 }),
    /** The scheme that is shown beside it, or why the service refuses it. */
    beside,
  }
}

/** Why the service refuses the scheme that stands beside: a sentence in its column. What else fails, fails for all. */
function sentenceOf(reason: unknown): string {
  if (reason instanceof Refused && reason.status === 422) return reason.message
  throw reason
}

async function loadDocument(client: Inlet, { model }: Recipe, text: string): Promise<TokenDocument> {
  const answer = await client.tokenize({ text, model })
  const [bytes, ids] = [new TextEncoder().encode(text), ints(answer, 'input_ids')]
  const ranges = answer.get('token_ranges')?.data
  if (ranges === undefined) return { bytes, ids, starts: ints(answer, 'token_starts') }
  const starts = Int32Array.from({ length: ids.length + 1 }, (_, token) =>
    token < ids.length ? ranges[2 * token] : (ranges.at(-1) ?? 0),
  )
  return { bytes, ids, starts, ends: Int32Array.from(ids, (_, token) => ranges[2 * token + 1]) }
}

/** A document that is given as ids: its text is what each of them stands for. */
async function loadIds(client: Inlet, recipe: Recipe, model: Model): Promise<TokenDocument> {
  const ids = Int32Array.from(idsOf(recipe))
  const texts = await tokenTexts(client, model, ids)
  const parts = texts.map((text) => new TextEncoder().encode(text))
  const starts = new Int32Array(ids.length + 1)
  for (const [token, { length }] of parts.entries()) starts[token + 1] = starts[token] + length
  const bytes = new TextEncoder().encode(texts.join(''))
  return { ids, starts, bytes, isNumbers: !hasTexts(model) }
}

/** The windows on screen: one batch of the loader, as ids. */
export type Batch = ReturnType<typeof readBatch>

function readBatch(answer: Tensors) {
  const [windows, length] = answer.get('input_ids')!.shape
  return {
    /** B, the windows of this batch. */
    windows,
    /** T, the tokens of a window. */
    length,
    ids: ints(answer, 'input_ids'),
    targets: ints(answer, 'target_ids'),
    mask: ints(answer, 'attention_mask'),
    /** Each window's document, and the token there that it begins with. */
    documents: ints(answer, 'document_ids'),
    starts: ints(answer, 'window_starts'),
  }
}

function ints(tensors: Tensors, name: string): Int32Array {
  return tensors.get(name)!.data as Int32Array
}

/** The tensors of the position scheme alone. */
export interface Positions {
  readonly type: string
  readonly offset: number
  /** T: how many positions were asked for. */
  readonly length: number
  readonly tensors: Readonly<Record<string, Pick<Tensor, 'dtype' | 'shape' | 'data'>>>
}

/** Positions of which the scheme's own tensors are drawn: a matrix of them has to fit the screen. */
const SHOWN_POSITIONS = 32

async function loadPositions(
  client: Inlet,
  recipe: Recipe,
  batch: Batch,
  model: Model,
): Promise<Positions | undefined> {
  const { position_embedding, position_offset } = recipe
  const type = position_embedding ?? model.position_embedding ?? 'none'
  if (type === 'none') return undefined
  const offset = position_offset ?? 0
  if (type === 'learned_absolute') {
    // The recipe's own call: a table may have fewer rows than the window has positions, which the service refuses.
    const own = await client.inputEmbeddings(embeddingsFields(recipe, ['position_embeddings']))
    const rows = own.get('position_embeddings')!
    const [length, channels] = [Math.min(batch.length, SHOWN_POSITIONS), rows.shape[1]]
    const data = rows.data.subarray(0, length * channels)
    const shown = { dtype: rows.dtype, shape: [length, channels], data }
    return { type, offset, length, tensors: { position_embeddings: shown } }
  }
  // The other schemes have rows for any position.
  const fields = { position_embedding, position_offset, context_length: SHOWN_POSITIONS }
  const answer = await client.positionEmbeddings(model.id, fields)
  return { type, offset, length: SHOWN_POSITIONS, tensors: Object.fromEntries(answer) }
}

/** Most positions of a window, and windows, of which rows are on screen. */
const [SHOWN_LENGTH, SHOWN_WINDOWS] = [32, 8]

/** The part of a batch that is on screen: positions from `from` on of windows from `first` on. */
export function viewOf({ window, position }: { window: number; position: number }) {
  return { first: window - (window % SHOWN_WINDOWS), from: position - (position % SHOWN_LENGTH) }
}

/** Rows of a part of the batch: positions `from` … `from + length − 1` of windows `first` … `first + windows − 1`. */
export type Rows = Awaited<ReturnType<typeof loadRows>>

/** The rows of a view of the batch: its ids again, with their positions, and the position rows if the scheme adds any. */
export async function loadRows(
  client: Inlet,
  { batch, recipe, positions }: { batch: Batch; recipe: Recipe; positions: Positions | undefined },
  { first, from }: ReturnType<typeof viewOf>,
) {
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
  const tensors = await client.inputEmbeddings({ ...fields, outputs })
  const [token, sum, position] = outputs.map((name) => tensors.get(name)!)
  return {
    ...{ first, from, windows, length },
    /** The version of the tables that they are of. */
    version: tensors.metadata.model_version,
    /** C, the numbers of an input embedding. */
    channels: sum.shape[2],
    /** Numbers of a row of the token table, and of a position row: others than C where the model projects rows. */
    tokenChannels: token.shape[2],
    positionChannels: position?.shape[1] ?? 0,
    token: token.data as Float32Array,
    sum: sum.data as Float32Array,
    /** The rows that the scheme adds, one for each position; undefined if it adds none. */
    position: position?.data as Float32Array | undefined,
  }
}

const MOST_TEXTS = 256

const hasTexts = ({ tokenizer }: Model) => tokenizer?.available !== false

/** The text of each id: " cat" for 3797. An id that has no text is written as its number. */
export function tokenTexts(client: Inlet, model: Model, ids: ArrayLike<number>): Promise<string[]> {
  const count = hasTexts(model) ? MOST_TEXTS : 0
  const textOf = async (id: number, index: number) => {
    if (index >= count) return `#${id}`
    const found = client.detokenize({ input_ids: [id], model: model.id })
    return found.then(({ text = `#${id}` }) => text).catch(() => `#${id}`)
  }
  return Promise.all(Array.from(ids, textOf))
}
