import { Quota } from '../../files/quota.js'
import { type StageShares, stageShares } from '../../first-layer/datasets/mixture.js'
import { mixtureStages } from '../../first-layer/datasets/mixture-batch.js'
import type { TorchPermutation } from '../../first-layer/datasets/orders.js'
import type { Corpus, SegmentedWindows } from '../../first-layer/datasets/segments.js'
import { type PackingRule, ruleKey, segmentedWindows } from '../../first-layer/datasets/window-index.js'
import type { Claim } from '../../first-layer/running/drive.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { StoredBounds } from '../../first-layer/windows/documents.js'
import {
  type CorpusCard,
  type CorpusContent,
  type DatasetCard,
  isCorpus,
  type MixtureCard,
  type Stored,
} from '../../service/corpus/dataset-card.js'
import { UploadFolder } from '../../service/corpus/upload.js'
import type { Remote } from '../../service/threads/channel.js'
import { datasetIndexing, datasetNotFound } from './errors.js'
import type { DatasetKeeper } from './keeper/keeper.js'
import { DiskTokens } from './reading/disk-tokens.js'

/** The time for which a dataset is taken to be there without a look. */
const SURE_MS = 1000
/** Longest wait of a request for a packing or an order, in milliseconds; its own deadline may come first. */
const WAIT_MS = 10_000
/** Datasets, and windows of recipes, that a thread has at hand. */
const CORPORA_AT_HAND = 64
const WINDOWS_AT_HAND = 64
const PERMUTATIONS_AT_HAND = 4

export interface OpenCorpus extends Corpus {
  readonly card: CorpusCard
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

/** The datasets as one thread's requests see them. */
export class Datasets {
  readonly #found = new Recent<Found>(CORPORA_AT_HAND, ({ dataset }) => {
    if (isCorpusDataset(dataset)) dataset.source.rest()
  })
  readonly #windows = new Recent<SegmentedWindows>(WINDOWS_AT_HAND)
  readonly #permutations = new Recent<Int32Array>(PERMUTATIONS_AT_HAND)

  /** @param admin the first thread's keeper, or calls to it */
  constructor(
    readonly admin: Remote<DatasetKeeper>,
    readonly stored: Stored,
  ) {}

  async place(): Promise<UploadFolder> {
    const folder = await this.admin.folder()
    return new UploadFolder(folder.root, new Quota(...folder.quota))
  }

  async list(): Promise<readonly DatasetCard[]> {
    const cards = [...(await this.admin.list())]
    return cards.sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1))
  }

  /** @throws InletError `dataset_not_found`; what the claim is aborted with, while storage is asked */
  find(id: string, claim: Claim): Dataset | Promise<Dataset> {
    const known = this.#found.get(id)
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
  windows(corpus: OpenCorpus, rule: PackingRule, claim: Claim): SegmentedWindows | Promise<SegmentedWindows> {
    const { id } = corpus.card
    const key = `${id} ${ruleKey(rule)}`
    return this.#windows.get(key) ?? this.#indexed(key, corpus, rule, claim)
  }

  /** A permutation of PyTorch's, drawn once for all threads. */
  permutation(permutation: TorchPermutation, claim: Claim): Int32Array | Promise<Int32Array> {
    const { law, count, seed, epoch } = permutation
    const key = `${law} ${count} ${seed} ${epoch}`
    return this.#permutations.get(key) ?? this.#drawn(key, permutation, claim)
  }

  /** Forgets a dataset that has been deleted. */
  forget(id: string): void {
    this.#found.drop(id)
    this.#windows.drop(`${id} `)
  }

  async #open(id: string): Promise<Dataset> {
    const content = await this.admin.open(id).catch((error) => {
      this.forget(id)
      throw error
    })
    const known = this.#found.get(id) // another request has put it
    if (known !== undefined) {
      known.checked = performance.now()
      return known.dataset
    }
    const dataset: Dataset = isCorpus(content) ? openCorpus(content) : openMixture(content.card)
    this.#found.put(id, { dataset, checked: performance.now() })
    return dataset
  }

  async #indexed(
    key: string,
    corpus: OpenCorpus,
    rule: PackingRule,
    claim: Claim,
  ): Promise<SegmentedWindows> {
    const index = await this.#within(this.admin.index(corpus.card.id, rule), claim)
    const windows = segmentedWindows(corpus.documents, rule, index)
    this.#windows.put(key, windows)
    return windows
  }

  async #drawn(key: string, permutation: TorchPermutation, claim: Claim): Promise<Int32Array> {
    const drawn = await this.#within(this.admin.permutation(permutation), claim)
    this.#permutations.put(key, drawn)
    return drawn
  }

  #within<Result>(work: Promise<Result>, claim: Claim): Promise<Result> {
    const late = () => {
      throw datasetIndexing()
    }
    return waitWithin(work, { claim, limit: { milliseconds: WAIT_MS, late } })
  }
}

function openCorpus({ card, starts, path }: CorpusContent): OpenCorpus {
  const documents = new StoredBounds(starts, card.longest_document)
  return { card, documents, source: new DiskTokens(path, card) }
}

function openMixture(card: MixtureCard): OpenMixture {
  return { card, stages: stageShares(mixtureStages(card.mixture, card.stages ?? undefined)) }
}

/** The time for which an unused value stays: its memory may be shared, and is held until then. */
const IDLE_MS = 60_000

/** The values that were used last, at most so many, and none that was not used for a minute. */
class Recent<Value> {
  readonly #values = new Map<string, { readonly value: Value; used: number }>()
  #sweep: NodeJS.Timeout | undefined

  /** @param left called with each value that leaves */
  constructor(
    private readonly most: number,
    private readonly left: (value: Value) => void = () => {},
  ) {}

  get(key: string): Value | undefined {
    const known = this.#values.get(key)
    if (known === undefined) return undefined
    known.used = performance.now()
    this.#values.delete(key)
    this.#values.set(key, known)
    return known.value
  }

  put(key: string, value: Value): void {
    const before = this.#values.get(key)
    if (before !== undefined) this.#remove(key, before.value)
    this.#values.set(key, { value, used: performance.now() })
    const [oldest] = this.#values
    if (this.#values.size > this.most && oldest !== undefined) this.#remove(oldest[0], oldest[1].value)
    this.#sweep ??= setInterval(() => this.#removeIdle(), IDLE_MS).unref()
  }

  drop(prefix: string): void {
    for (const [key, { value }] of this.#values) if (key.startsWith(prefix)) this.#remove(key, value)
  }

  #removeIdle(): void {
    const before = performance.now() - IDLE_MS
    for (const [key, { value, used }] of this.#values) if (used < before) this.#remove(key, value)
    if (this.#values.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #remove(key: string, value: Value): void {
    this.#values.delete(key)
    this.left(value)
  }
}
