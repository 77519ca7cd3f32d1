import { threadId } from 'node:worker_threads'
import { LruMap } from 'toad-cache'
import {
  type CorpusCard,
  type CorpusContent,
  isCorpus,
  type MixtureCard,
  type Stored,
} from '../../corpus/dataset-card.js'
import { UploadFolder } from '../../corpus/upload.js'
import { type StageShares, stageShares } from '../../first-layer/datasets/mixture.js'
import { mixtureStages } from '../../first-layer/datasets/mixture-batch.js'
import type { TorchPermutation } from '../../first-layer/datasets/orders.js'
import type { Corpus, SegmentedWindows } from '../../first-layer/datasets/segments.js'
import { type PackingRule, segmentedWindows } from '../../first-layer/datasets/window-index.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { StoredBounds } from '../../first-layer/windows/documents.js'
import type { Remote } from '../../service/process/channel.js'
import type { Claim } from '../../service/process/turn.js'
import { datasetIndexing, datasetNotFound } from './errors.js'
import { corpusKey, type DatasetKeeper, indexKey, permutationKey } from './keeper/keeper.js'
import { DiskTokens } from './reading/disk-tokens.js'

/** How long a found dataset is trusted, ms. */
const SURE_MS = 1000
/** Longest wait of a request for a packing or an order, in milliseconds; its own deadline may come first. */
const WAIT_MS = 10_000
/** The time in which a caller who has waited so long comes back for it, in milliseconds. */
const RETURN_MS = 10_000
/** Datasets, windows of recipes, and orders that a thread has at hand. */
const AT_HAND = 64

export interface OpenCorpus extends Corpus {
  readonly card: CorpusCard
  readonly content: CorpusContent
  readonly source: DiskTokens
}

/** A mixture, and what its stages take of its datasets. */
export interface OpenMixture {
  readonly card: MixtureCard
  readonly stages: readonly StageShares[]
}

export type Dataset = OpenCorpus | OpenMixture

export function isCorpusDataset(dataset: Dataset): dataset is OpenCorpus {
  return 'source' in dataset
}

interface Found {
  readonly dataset: Dataset
  checked: number
}

/** The datasets as one thread's requests see them, and what they need of them by its keys, until the keeper keeps it no more. */
export class Datasets {
  readonly #found = new LruMap<Found>(AT_HAND)
  readonly #windows = new LruMap<SegmentedWindows>(AT_HAND)
  readonly #permutations = new LruMap<Int32Array>(AT_HAND)
  #waits = 0

  /** @param admin the first thread's keeper, or calls to it */
  constructor(
    readonly admin: Remote<DatasetKeeper>,
    readonly stored: Stored,
  ) {}

  async place(): Promise<UploadFolder> {
    const { root, name } = await this.admin.place()
    return new UploadFolder(root, name, this.admin)
  }

  /** @throws InletError `dataset_not_found`; what the claim is aborted with, while storage is asked */
  find(id: string, claim: Claim): Dataset | Promise<Dataset> {
    const known = this.#found.get(corpusKey(id))
    if (known !== undefined && performance.now() - known.checked < SURE_MS) return known.dataset
    return waitWithin(this.#open(id), { claim })
  }

  /** The same for a dataset of ids. @throws InletError `dataset_not_found` for a mixture too */
  async findCorpus(id: string, claim: Claim): Promise<OpenCorpus> {
    const dataset = await this.find(id, claim)
    if (isCorpusDataset(dataset)) return dataset
    throw datasetNotFound(id, ' of ids, not of a mixture')
  }

  /** The windows of a corpus under a packing, computed once for all threads. */
  async windows(corpus: OpenCorpus, rule: PackingRule, claim: Claim): Promise<SegmentedWindows> {
    const { card, content, documents } = corpus
    const key = indexKey(card.id, rule)
    let windows = this.#windows.get(key)
    if (windows === undefined) {
      const index = await this.#within((waiter) => this.admin.index(content, rule, waiter), claim)
      windows = segmentedWindows(documents, rule, index)
      this.#windows.set(key, windows)
    }
    return windows
  }

  /** A permutation of PyTorch's, drawn once for all threads. @param id the dataset with which it goes */
  async permutation(id: string, permutation: TorchPermutation, claim: Claim): Promise<Int32Array> {
    const key = permutationKey(id, permutation)
    let drawn = this.#permutations.get(key)
    if (drawn === undefined) {
      drawn = await this.#within((waiter) => this.admin.permutation(id, permutation, waiter), claim)
      this.#permutations.set(key, drawn)
    }
    return drawn
  }

  /** Forgets a dataset that has been deleted, or what is no longer kept of it. @param prefix of keys */
  forget(prefix: string): void {
    for (const values of [this.#found, this.#windows, this.#permutations])
      for (const key of values.keys()) if (key.startsWith(prefix)) this.#drop(values, key)
  }

  /** @param values the file of a dataset that leaves is closed as soon as no request reads it */
  #drop(values: LruMap<unknown>, key: string): void {
    const { dataset } = (values === this.#found ? this.#found.get(key) : undefined) ?? {}
    if (dataset !== undefined && isCorpusDataset(dataset)) dataset.source.rest()
    values.delete(key)
  }

  async #open(id: string): Promise<Dataset> {
    const key = corpusKey(id)
    const content = await this.admin.open(id).catch((error) => {
      this.forget(`${id} `)
      throw error
    })
    const known = this.#found.get(key) // another request has put it
    if (known !== undefined) {
      known.checked = performance.now()
      return known.dataset
    }
    const dataset: Dataset = isCorpus(content) ? openCorpus(content) : openMixture(content.card)
    if (this.#found.size === AT_HAND) this.#drop(this.#found, this.#found.first.key)
    this.#found.set(key, { dataset, checked: performance.now() })
    return dataset
  }

  /** Waits for what the keeper makes. A caller who has waited too long may come back for it, one who has left does not. */
  async #within<Result>(begin: (waiter: string) => Promise<Result>, claim: Claim): Promise<Result> {
    const waiter = `${threadId} ${this.#waits++}`
    let returnMs = 0
    const late = () => {
      returnMs = RETURN_MS
      throw datasetIndexing()
    }
    try {
      return await waitWithin(begin(waiter), { claim, limit: { milliseconds: WAIT_MS, late } })
    } catch (error) {
      setTimeout(() => void this.admin.leave(waiter), returnMs).unref()
      throw error
    }
  }
}

function openCorpus(content: CorpusContent): OpenCorpus {
  const { card, starts, path, mask } = content
  const documents = new StoredBounds(starts, card.longest_document)
  return { card, content, documents, mask, source: new DiskTokens(path, card) }
}

function openMixture(card: MixtureCard): OpenMixture {
  return { card, stages: stageShares(mixtureStages(card.mixture, card.stages ?? undefined)) }
}
