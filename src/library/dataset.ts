import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { TokenSource } from '../first-layer/datasets/corpus.js'
import { ID_DTYPES } from '../first-layer/datasets/id-dtypes.js'
import { drawPermutation, type WindowOrder } from '../first-layer/datasets/orders.js'
import { batchesOf, contentId, epochOrder, permutationOf, recipeId } from '../first-layer/datasets/recipe.js'
import { type RecipeFields, readRecipe } from '../first-layer/datasets/recipe-options.js'
import { batchWindows, readWindows } from '../first-layer/datasets/rows.js'
import type { SegmentBatch } from '../first-layer/datasets/segment-batch.js'
import { segmentedWindows } from '../first-layer/datasets/segmented-windows.js'
import type { SegmentedWindows } from '../first-layer/datasets/segments.js'
import { windowIndex } from '../first-layer/datasets/window-index.js'
import { InletError } from '../first-layer/errors.js'
import { run, runAsync } from '../first-layer/steps.js'
import { StoredBounds } from '../first-layer/windows/document-bounds.js'
import type {
  Dataset,
  DatasetBatch,
  DatasetPlan,
  DatasetRecipeOptions,
  TokenFileOptions,
} from './dataset-api.js'
import { documentStarts, readFileIds } from './token-file.js'

/**
 * A dataset of documents that are token ids already, in memory.
 *
 * @throws InletError `invalid_request` for an id that is no integer from 0 to 2^31 − 1
 */
export function datasetFromIds(documents: Iterable<ArrayLike<number>>): Dataset {
  const starts = [0]
  const parts: Int32Array[] = []
  for (const document of documents) {
    parts.push(checkedIds(document, parts.length))
    starts.push(starts.at(-1)! + document.length)
  }
  const ids = new Int32Array(starts.at(-1)!)
  for (const [d, part] of parts.entries()) ids.set(part, starts[d])
  const bounds = Float64Array.from(starts)
  const digest = createHash('sha256')
    .update(new Uint8Array(bounds.buffer))
    .update(new Uint8Array(ids.buffer))
    .digest()
  const source: TokenSource = {
    read(place, out) {
      out.set(ids.subarray(place, place + out.length))
      return undefined
    },
  }
  return new OpenDataset(new StoredBounds(bounds), source, contentId(digest), async () => {})
}

/**
 * A dataset in a file of token ids without a header, as nanoGPT's `train.bin`. Rows are read by position: the file may be
 * larger than memory. The caller closes it.
 *
 * @throws InletError `invalid_request` for a file whose length is no multiple of its element's
 * @throws Error of the file system
 */
export async function datasetFromFile(path: string, options: TokenFileOptions = {}): Promise<Dataset> {
  const { dtype = 'uint16' } = options
  const { bytes } = ID_DTYPES[dtype]
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size % bytes !== 0) {
      const message = `The file must hold ids of ${bytes} bytes each. Given: ${size} bytes`
      throw new InletError('invalid_request', message, 'path')
    }
    const source: TokenSource = {
      async read(place, out) {
        const raw = Buffer.allocUnsafe(out.length * bytes)
        const { bytesRead } = await file.read(raw, 0, raw.length, place * bytes)
        if (bytesRead < raw.length) throw new Error(`${path} has become shorter since it was opened.`)
        readFileIds(dtype, raw, out)
      },
    }
    const starts = await documentStarts(source, size / bytes, options.separator_id)
    return new OpenDataset(new StoredBounds(starts), source, path, () => file.close())
  } catch (error) {
    await file.close()
    throw error
  }
}

function checkedIds(document: ArrayLike<number>, d: number): Int32Array {
  const ids = Int32Array.from(document)
  const wrong = ids.findIndex((id, i) => id !== document[i] || id < 0)
  if (wrong < 0) return ids
  const message = `\`documents.${d}.${wrong}\` must be an integer from 0 to 2147483647. Given: ${document[wrong]}`
  throw new InletError('invalid_request', message, `documents.${d}.${wrong}`)
}

class OpenDataset implements Dataset {
  /** The windows and the epoch's order that were asked for last: a loop asks for the same again. */
  #windows: { readonly id: string; readonly windows: SegmentedWindows } | undefined
  #order: { readonly id: string; readonly order: WindowOrder } | undefined

  constructor(
    private readonly documents: StoredBounds,
    private readonly source: TokenSource,
    private readonly name: string,
    readonly close: () => Promise<void>,
  ) {}

  get numDocuments(): number {
    return this.documents.count
  }

  get numTokens(): number {
    return this.documents.totalTokens
  }

  plan(options: DatasetRecipeOptions): DatasetPlan {
    const { recipe } = readRecipe(fieldsOf(options))
    const id = recipeId(this.name, recipe)
    const windows = this.#windowsOf(id, recipe)
    const slots = windows.count * windows.contextLength
    return {
      recipeId: id,
      numWindows: windows.count,
      numBatches: batchesOf(windows.count, recipe),
      fill: slots === 0 ? 0 : windows.filledSlots / slots,
      numPadding: slots - windows.filledSlots,
      numDroppedTokens: windows.droppedTokens,
      numSplitDocuments: windows.splitDocuments,
      longestDocument: this.documents.longest,
    }
  }

  async batch(batchIndex: number, options: DatasetRecipeOptions): Promise<DatasetBatch> {
    const { recipe, range } = readRecipe(fieldsOf(options))
    const id = recipeId(this.name, recipe)
    const windows = this.#windowsOf(id, recipe)
    const orderId = `${id} ${range.epoch} ${recipe.sharding === 'distributed_sampler' ? range.rank : ''}`
    if (this.#order?.id !== orderId) {
      const permutation = permutationOf(windows.count, recipe, range.epoch)
      const drawn = permutation && run(drawPermutation(permutation))
      this.#order = { id: orderId, order: epochOrder(windows.count, recipe, range, drawn) }
    }
    const asked = { ...range, batchIndex }
    const chosen = await runAsync(batchWindows(this.#order.order, recipe, windows.count, asked))
    const batch = await runAsync(readWindows(this.source, this.documents, windows, recipe, chosen))
    return batchOf(batch, id, range.epoch, batchIndex)
  }

  async *batches(options: DatasetRecipeOptions, from = 0): AsyncGenerator<DatasetBatch, void, void> {
    const { numBatches } = this.plan(options)
    const step = options.num_batches ?? 1
    for (let batch = from; batch < numBatches; batch += step) yield await this.batch(batch, options)
  }

  #windowsOf(id: string, recipe: Parameters<typeof batchesOf>[1]): SegmentedWindows {
    if (this.#windows?.id !== id) {
      const index = run(windowIndex(this.documents, recipe))
      this.#windows = { id, windows: segmentedWindows(this.documents, recipe, index) }
    }
    return this.#windows.windows
  }
}

function fieldsOf({ shuffle, ...fields }: DatasetRecipeOptions): RecipeFields {
  return shuffle === undefined ? fields : { ...fields, shuffle: String(shuffle) as 'index' }
}

function batchOf(batch: SegmentBatch, recipe: string, epoch: number, batchIndex: number): DatasetBatch {
  const { count: B, contextLength: T } = batch
  const made = (length: number, fill: (out: Int32Array, first: number) => void) => {
    const out = new Int32Array(length)
    fill.call(batch, out, 0)
    return out
  }
  return {
    ...{ recipeId: recipe, epoch, batchIndex, shape: [B, T] },
    input_ids: made(B * T, batch.fillInputIds),
    target_ids: made(B * T, batch.fillTargetIds),
    attention_mask: made(B * T, batch.fillAttentionMask),
    position_ids: made(B * T, (out, first) => batch.fillPositionIds(out, first, 0)),
    segment_ids: made(B * T, batch.fillSegmentIds),
    cu_seq_lens: made(batch.segmentCount + 1, batch.fillCuSeqLens),
    document_ids: made(B, batch.fillDocumentIds),
    window_starts: made(B, batch.fillWindowStarts),
  }
}
