import { isMissing } from '../../../files/aside.js'
import { drawPermutation, type TorchPermutation } from '../../../first-layer/datasets/orders.js'
import type { WindowIndex } from '../../../first-layer/datasets/segments.js'
import { type PackingRule, ruleKey, windowIndex } from '../../../first-layer/datasets/window-index.js'
import { sharedFloat64Array, sharedInt32Array } from '../../../first-layer/memory.js'
import { driveAsync, isTurnOver, nextTurn } from '../../../first-layer/running/drive.js'
import { WorkQueue } from '../../../first-layer/running/wait.js'
import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { StoredBounds } from '../../../first-layer/windows/documents.js'
import {
  type CorpusCard,
  type CorpusContent,
  type DatasetCard,
  type DatasetContent,
  isCorpus,
  isMixture,
  type MixtureCard,
} from '../../../service/corpus/dataset-card.js'
import { datasetIndexing, datasetNotFound } from '../errors.js'
import type { DataFolder, DiskStorage } from './disk-storage.js'
import type { Kept } from './kept.js'

/** Bytes that the packing of a piece takes while it is computed. */
const PACKING_BYTES = 64
/** Values of at most this size are made at once, also during longer work. */
const SHORT_BYTES = 1 << 20
const MOST_WAITING = 64
const STARTS_AT_ONCE = 1 << 16

export interface KeeperOptions {
  readonly folder: DataFolder
  readonly storage: DiskStorage
  readonly kept: Kept
  removed(id: string): Promise<void>
}

/**
 * The datasets of the process, in its first thread: finds them, and makes what all threads share of them: where
 * documents start, which windows a packing gives, PyTorch's permutations. Each is made once, in turns, and kept while there
 * is room. All threads call it; arrays in its answers are shared, not copied.
 */
export class DatasetKeeper {
  readonly #works = new WorkQueue()

  constructor(private readonly options: KeeperOptions) {}

  async folder(): Promise<DataFolder> {
    return this.options.folder
  }

  /** @throws InletError `dataset_not_found` */
  async open(id: string): Promise<DatasetContent> {
    const { storage } = this.options
    const card = await storage.card(id)
    if (card === undefined) {
      this.options.kept.drop(`${id} `)
      throw datasetNotFound(id)
    }
    if (isMixture(card)) return { card }
    return this.#corpus(card)
  }

  list(): Promise<readonly DatasetCard[]> {
    return this.options.storage.cards()
  }

  /** @throws InletError `dataset_not_found` */
  async remove(id: string): Promise<void> {
    const { storage, kept, removed } = this.options
    if (!(await storage.remove(id))) throw datasetNotFound(id)
    kept.drop(`${id} `)
    await removed(id)
  }

  /** @returns the card that is there, and whether it is this one */
  async putMixture(card: MixtureCard): Promise<{ card: MixtureCard; isNew: boolean }> {
    const isNew = await this.options.storage.putMixture(card)
    const there = isNew ? card : await this.options.storage.card(card.id)
    return { card: (there as MixtureCard | undefined) ?? card, isNew }
  }

  /** The windows of a corpus under a packing. @throws InletError `dataset_not_found`, `dataset_indexing` */
  async index(id: string, rule: PackingRule): Promise<WindowIndex> {
    const { card, starts } = await this.#corpusOf(id)
    const isPacked = rule.packing === 'best_fit'
    const pieces = card.num_documents + Math.ceil(card.num_tokens / rule.contextLength)
    const most = isPacked ? pieces * PACKING_BYTES : 8 * (card.num_documents + 1)
    const make = async () => {
      const index = await driveAsync(windowIndex(new StoredBounds(starts, card.longest_document), rule))
      const { firstWindow, places, firsts } = index
      const arrays = [firstWindow, places, firsts].map((array) => array?.byteLength ?? 0)
      return { value: index, bytes: arrays.reduce((sum, bytes) => sum + bytes) }
    }
    return this.options.kept.get(`${id} index ${ruleKey(rule)}`, most, () =>
      most > SHORT_BYTES ? this.#inTurn(make) : make(),
    )
  }

  /** @throws InletError `dataset_indexing` where too many are being made */
  permutation(permutation: TorchPermutation): Promise<Int32Array> {
    const { law, count, seed, epoch } = permutation
    const bytes = count * Int32Array.BYTES_PER_ELEMENT
    const make = async () => ({ value: await driveAsync(sharedPermutation(permutation)), bytes })
    return this.options.kept.get(`permutation ${law} ${count} ${seed} ${epoch}`, 2 * bytes, () =>
      2 * bytes > SHORT_BYTES ? this.#inTurn(make) : make(),
    )
  }

  /** Runs a long work after those before it. @throws InletError `dataset_indexing` where too many wait already */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#works.waiting < MOST_WAITING ? this.#works.run(work) : Promise.reject(datasetIndexing())
  }

  async #corpusOf(id: string): Promise<CorpusContent> {
    const content = await this.open(id)
    if (isCorpus(content)) return content
    throw datasetNotFound(id, ' that is no mixture')
  }

  #corpus(card: CorpusCard): Promise<CorpusContent> {
    const bytes = 8 * (card.num_documents + 1)
    return this.options.kept.get(`${card.id} starts`, bytes, async () => {
      const { storage } = this.options
      const starts = sharedFloat64Array(card.num_documents + 1)
      let at = 0
      try {
        for await (const part of storage.starts(card, STARTS_AT_ONCE)) {
          for (const start of part) starts[at++] = Number(start)
          if (isTurnOver()) await nextTurn()
        }
      } catch (error) {
        throw isMissing(error) ? datasetNotFound(card.id) : error
      }
      return { value: { card, starts, path: storage.tokensPath(card) }, bytes }
    })
  }
}

function* sharedPermutation(permutation: TorchPermutation): Steps<Int32Array> {
  const drawn = yield* drawPermutation(permutation)
  const copy = sharedInt32Array(drawn.length)
  for (let at = 0; at < drawn.length; at += STARTS_AT_ONCE) {
    copy.set(drawn.subarray(at, at + STARTS_AT_ONCE), at)
    yield PAUSE
  }
  return copy
}
