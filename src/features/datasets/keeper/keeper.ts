import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  type CorpusCard,
  type CorpusContent,
  type DatasetContent,
  isMixture,
} from '../../../corpus/dataset-card.js'
import { asideName, isMissing, undefinedIfMissing } from '../../../files/aside.js'
import { packingBytes } from '../../../first-layer/datasets/best-fit.js'
import type { TorchPermutation } from '../../../first-layer/datasets/orders.js'
import type { PackingRule } from '../../../first-layer/datasets/recipe-options.js'
import type { WindowIndex } from '../../../first-layer/datasets/segments.js'
import { ruleKey } from '../../../first-layer/datasets/window-index.js'
import { sharedFloat64Array } from '../../../first-layer/memory.js'
import { StoredBounds } from '../../../first-layer/windows/documents.js'
import { calculations, calculator, FEW } from '../../../service/process/calculator.js'
import { datasetNotFound } from '../errors.js'
import { type DataFolder, DiskStorage } from './disk-storage.js'
import type { Kept } from './kept.js'

/** Starts of documents that are read at a time: their conversion takes a millisecond. */
const STARTS_AT_ONCE = 1 << 15

/**
 * The datasets of the process, in its first thread: finds them, and makes what all threads share of them: where
 * documents start, which windows a packing gives, PyTorch's permutations. Each is made once, in turns, and kept while there
 * is room. All threads call it; arrays in its answers are shared, not copied.
 */
export class DatasetKeeper extends DiskStorage {
  /** @param gone tells all threads that the keys that begin so are gone */
  constructor(
    folder: DataFolder,
    log: ConstructorParameters<typeof DiskStorage>[1],
    private readonly kept: Kept,
    private readonly gone: (prefix: string) => Promise<void>,
  ) {
    super(folder, log)
  }

  /** A new place for an upload. */
  async place(): Promise<{ readonly root: string; readonly name: string }> {
    return { root: this.folder.root, name: asideName() }
  }

  /** @throws InletError `dataset_not_found` */
  async open(id: string): Promise<DatasetContent> {
    const card = await this.card(id)
    if (card === undefined) {
      this.kept.drop(`${id} `)
      throw datasetNotFound(id)
    }
    return isMixture(card) ? { card } : this.#corpus(card)
  }

  override async remove(id: string, caller?: string): Promise<boolean> {
    const isGone = await super.remove(id, caller)
    if (isGone) {
      this.kept.drop(`${id} `)
      await this.gone(`${id} `)
    }
    return isGone
  }

  /** The windows of a corpus under a packing. @throws InletError `dataset_indexing`, `insufficient_memory` */
  index({ card, starts, mask }: CorpusContent, rule: PackingRule): Promise<WindowIndex> {
    const documents = new StoredBounds(starts, card.longest_document)
    const isPacked = rule.packing === 'best_fit'
    const most = isPacked ? packingBytes(documents, rule.context_length) : 8 * (documents.count + 1)
    const pieces = isPacked ? documents.totalTokens / rule.context_length : 0
    const make = async () => {
      const work = documents.count + pieces > FEW ? calculator.work : calculations
      const index = await work.windowIndex(starts, card.longest_document, rule, mask)
      const arrays = [index.firstWindow, index.places, index.firsts]
      return { value: index, bytes: arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0) }
    }
    return this.kept.get(indexKey(card.id, rule), most, make)
  }

  /** A permutation of a dataset's windows. @throws InletError `dataset_indexing`, `insufficient_memory` */
  permutation(id: string, permutation: TorchPermutation): Promise<Int32Array> {
    const bytes = permutation.count * Int32Array.BYTES_PER_ELEMENT
    const make = async () => {
      const work = permutation.count > FEW ? calculator.work : calculations
      return { value: await work.drawPermutation(permutation), bytes }
    }
    return this.kept.get(permutationKey(id, permutation), bytes, make)
  }

  #corpus(card: CorpusCard): Promise<CorpusContent> {
    const maskBytes = card.mask === undefined ? 0 : Math.ceil(card.num_tokens / 8)
    const most = 12 * (card.num_documents + 1) + maskBytes // starts, and lines at most
    const make = async () => {
      try {
        const mask = maskBytes > 0 ? new Uint8Array(new SharedArrayBuffer(maskBytes)) : undefined
        mask?.set(await readFile(this.pathOf(card, 'mask')))
        const starts = await readStarts(this.pathOf(card, 'documents'), card.num_documents + 1)
        const file = await readFile(this.pathOf(card, 'lines')).catch(undefinedIfMissing)
        const lines = file && new Uint32Array(new SharedArrayBuffer(file.length))
        if (lines !== undefined) new Uint8Array(lines.buffer).set(file!)
        const value = { card, starts, path: this.pathOf(card, 'tokens'), ...(mask && { mask }) }
        const bytes = starts.byteLength + maskBytes + (file?.length ?? 0)
        return { value: { ...value, ...(lines && { lines }) }, bytes }
      } catch (error) {
        throw isMissing(error) ? datasetNotFound(card.id) : error
      }
    }
    return this.kept.get(corpusKey(card.id), most, make)
  }
}

/** The starts of a corpus's documents, and the end of the last one, in shared memory. @throws Error of the file system */
async function readStarts(path: string, count: number): Promise<Float64Array> {
  const starts = sharedFloat64Array(count)
  let at = 0
  for await (const block of createReadStream(path, { highWaterMark: 8 * STARTS_AT_ONCE }))
    for (let i = 0; i < block.length; i += 8)
      starts[at++] = block.readUInt32LE(i) + 2 ** 32 * block.readUInt32LE(i + 4)
  if (at !== count) throw new Error(`${path} must have ${8 * count} bytes, as its card says.`)
  return starts
}

/** The keys of what is kept of a dataset, for {@link DatasetKeeper} and for the threads that have it at hand. */
export function corpusKey(id: string): string {
  return `${id} starts`
}

export function indexKey(id: string, rule: PackingRule): string {
  return `${id} index ${ruleKey(rule)}`
}

export function permutationKey(id: string, { law, count, seed, epoch }: TorchPermutation): string {
  return `${id} permutation ${law} ${count} ${seed} ${epoch}`
}
