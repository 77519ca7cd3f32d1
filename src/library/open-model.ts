import { basename, resolve } from 'node:path'
import { CARD_DEFAULTS, readCard } from '../first-layer/cards/card-json.js'
import { drawFromSeed, drawnOnDemand } from '../first-layer/cards/draw-tables.js'
import { type ModelCard, widestRow } from '../first-layer/cards/model-card.js'
import { specOf } from '../first-layer/cards/model-spec.js'
import { exchangeableOf, parametersOf, seedCard, uploadCard } from '../first-layer/cards/seed-card.js'
import { Tokenizers } from '../first-layer/cards/tokenizers.js'
import { selectBackend } from '../first-layer/embeddings/backends/select.js'
import { Model } from '../first-layer/embeddings/model.js'
import {
  allocateTables,
  bytesOf,
  type SharedTables,
  sameShape,
  type TableShape,
} from '../first-layer/embeddings/table-memory.js'
import { InletError, shownShape } from '../first-layer/errors.js'
import { openTensors } from '../first-layer/learning/tensor-file.js'
import type { Lookups } from '../first-layer/lookups/ngram-rows.js'
import { FLOAT_DTYPES, type StoredTensor } from '../first-layer/tensors/safetensors/header.js'
import { RustLibrary } from '../first-layer/tokens/rust/rust-library.js'
import type { FirstLayerModel } from './api.js'
import { loadedModel } from './loaded-model.js'
import type { CardJson } from './options.js'

/**
 * A model whose tables a seed draws, as `torch.manual_seed(seed)` and one `nn.Embedding` after the other do.
 *
 * `(await modelFromSeed(123, { embedding_dim: 8 })).vocabSize` → `50257`
 *
 * @throws InletError `invalid_request` for a value out of its range
 * @throws RangeError for tables beyond 4 GiB
 */
export function modelFromSeed(
  seed: number | bigint | string,
  card: Omit<CardJson, 'seed'> = {},
): Promise<FirstLayerModel> {
  return modelFromCard({ ...card, seed })
}

/**
 * A model from a card's JSON, as `models/tiny/inlet.json`. @throws as {@link modelFromSeed}
 *
 * `(await modelFromCard({ seed: 123, vocab_size: 500, embedding_dim: 8 })).tableBytes` → `48768`
 */
export async function modelFromCard(json: CardJson): Promise<FirstLayerModel> {
  const { embedding_dim } = CARD_DEFAULTS
  const card = seedCard('seed', readCard({ embedding_dim, ...json }))
  return opened(card, parametersOf(card), async (tables) => drawFromSeed(tables, card))
}

/**
 * A model from a folder in Hugging Face's layout (config.json, model.safetensors, tokenizer.json), or from one with a
 * card alone, inlet.json.
 *
 * `(await modelFromFolder('models/tiny')).embeddingDim` → `3`
 *
 * @throws InletError `model_failed` that names the file, what is expected and what was found
 */
export async function modelFromFolder(path: string): Promise<FirstLayerModel> {
  const { folderCard } = await import('../checkpoints/folder-card.js') // readers of all families: other models do without
  const { fillTables } = await import('../checkpoints/tables/make-tables.js')
  const { openLookups } = await import('../checkpoints/lookups/open-lookups.js')
  const card = await folderCard(basename(resolve(path)), path)
  const lookups = await openLookups(card, { mayWait: false })
  return opened(card, parametersOf(card), (tables) => fillTables(card, tables), lookups)
}

/**
 * A model from the bytes of a safetensors file with tensors of our names: `wte.weight` [V, C], and what the
 * architecture uses of `wpe.weight` [P, C], `wtt.weight` [types, C], `norm.weight` and `norm.bias` [C].
 *
 * `(await modelFromBytes(await readFile('model.safetensors'))).vocabSize` → `6`
 *
 * @param card tokenizer, architecture and position scheme; its sizes come from the file
 * @throws InletError `invalid_request` for a tensor that is missing or of another shape
 * @throws SafetensorsError for bytes that are no such file
 */
export async function modelFromBytes(
  bytes: Uint8Array,
  card: Pick<CardJson, 'encoding' | 'architecture' | 'position_embedding'> = {},
): Promise<FirstLayerModel> {
  const { header, read } = openTensors(bytes)
  const tensorOf = (name: string) => header.tensors.find((tensor) => tensor.name === name)
  const [vocabSize, embeddingDim, ...more] = tensorOf('wte.weight')?.shape ?? []
  const dtype = FLOAT_DTYPES[tensorOf('wte.weight')?.dtype ?? '']
  if (vocabSize === undefined || embeddingDim === undefined || more.length > 0 || dtype === undefined)
    throw missing('wte.weight', '[V, C] of F32, F16 or BF16', tensorOf('wte.weight'))
  const own = uploadCard('bytes', readCard({ embedding_dim: embeddingDim, ...card }), {
    ...{ vocabSize, embeddingDim, dtype },
    maxPositionEmbeddings: tensorOf('wpe.weight')?.shape[0] ?? 1,
    typeVocabSize: tensorOf('wtt.weight')?.shape[0] ?? 1,
  })
  const needed = parametersOf(own).map(({ name }) => name)
  const given = exchangeableOf(own).filter(({ name }) => needed.includes(name) || tensorOf(name))
  return opened(own, given, async (tables) => {
    for (const place of tables.places) {
      const found = tensorOf(place.name)
      const isRight = found && sameShape({ ...found, dtype: FLOAT_DTYPES[found.dtype] }, place)
      if (!isRight) throw missing(place.name, `${place.dtype} ${shownShape(place.shape)}`, found)
      read(found.start, bytesOf(tables, place))
    }
  })
}

function missing(name: string, form: string, found: StoredTensor | undefined): InletError {
  const given = found === undefined ? 'nothing' : `${found.dtype} ${shownShape(found.shape)}`
  return new InletError('invalid_request', `\`${name}\` must be ${form}. Given: ${given}`, name)
}

/** Makes the tables of a card, and binds the model to them in this thread. */
async function opened(
  card: ModelCard,
  shapes: readonly TableShape[],
  fill: (tables: SharedTables) => Promise<void>,
  lookups?: Lookups,
): Promise<FirstLayerModel> {
  await selectBackend('cpu')
  const rust = new RustLibrary() // its process starts with the first text that needs it
  const release = () => rust.end()
  try {
    const tokenizer = await new Tokenizers(rust).of(card)
    const tables = allocateTables(shapes, widestRow(card), 1)
    await fill(tables)
    const model = new Model({
      spec: specOf(card, tokenizer),
      version: '1',
      tables,
      thread: 0,
      drawn: (name) => drawnOnDemand(card, name),
      lookups,
    })
    return loadedModel(model, card, tables, release)
  } catch (error) {
    release()
    lookups?.close()
    throw error
  }
}
