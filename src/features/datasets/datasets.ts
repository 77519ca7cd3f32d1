import { LruMap } from 'toad-cache'
import type {
  CorpusCard,
  CorpusContent,
  DatasetContent,
  MixtureCard,
  Stored,
} from '../../corpus/dataset-card.js'
import { DatasetUpload } from '../../corpus/upload.js'
import { type StageShares, stageShares } from '../../first-layer/datasets/mixture.js'
import { mixtureStages } from '../../first-layer/datasets/mixture-batch.js'
import type { TorchPermutation } from '../../first-layer/datasets/orders.js'
import type { PackingRule } from '../../first-layer/datasets/recipe-options.js'
import type { Corpus, SegmentedWindows } from '../../first-layer/datasets/segments.js'
import { segmentedWindows } from '../../first-layer/datasets/window-index.js'
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
/** Datasets that a thread has at hand, and as many windows of recipes and orders. */
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
  readonly checked: number
}

/** The datasets as one thread's requests see them, and what they need of them by its keys, until the keeper keeps it no more. */
export class Datasets {
  readonly #found = new LruMap<Found>(AT_HAND)
  readonly #made = new LruMap<unknown>(AT_HAND)

  /** @param admin the first thread's keeper, or calls to it */
  constructor(
    readonly admin: Remote<DatasetKeeper>,
    readonly stored: Stored,
  ) {}

  /** Begins an upload. */
  async upload(dtype: CorpusCard['dtype']): Promise<DatasetUpload> {
    const { root, name } = await this.admin.place()
    return new DatasetUpload(root, dtype, name, this.admin)
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
  windows(
    { card, content, documents }: OpenCorpus,
    rule: PackingRule,
    claim: Claim,
  ): Promise<SegmentedWindows> {
    const make = async () => segmentedWindows(documents, rule, await this.admin.index(content, rule))
    return this.#kept(indexKey(card.id, rule), make, claim)
  }

  /** A permutation of PyTorch's, drawn once for all threads. @param id the dataset with which it goes */
  permutation(id: string, permutation: TorchPermutation, claim: Claim): Promise<Int32Array> {
    const make = () => this.admin.permutation(id, permutation)
    return this.#kept(permutationKey(id, permutation), make, claim)
  }

  /** What the keeper makes, or has made before; whoever has waited for it too long may come back. */
  async #kept<Value>(key: string, make: () => Promise<Value>, claim: Claim): Promise<Value> {
    const known = this.#made.get(key)
    if (known !== undefined) return known as Value
    const late = () => {
      throw datasetIndexing()
    }
    const made = await waitWithin(make(), { claim, limit: { milliseconds: WAIT_MS, late } })
    this.#made.set(key, made)
    return made
  }

  /** Forgets a dataset that has been deleted, or what is no longer kept of it. @param prefix of keys */
  forget(prefix: string): void {
    for (const known of [this.#made, this.#found])
      for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key)
  }

  async #open(id: string): Promise<Dataset> {
    const key = corpusKey(id)
    const content = await this.admin.open(id).catch((error) => {
      this.forget(`${id} `)
      throw error
    })
    const dataset = this.#found.get(key)?.dataset ?? openDataset(content) // another request may have put it
    this.#found.set(key, { dataset, checked: performance.now() })
    return dataset
  }
}

function openDataset(content: DatasetContent): Dataset {
  if (!('starts' in content)) {
    const { mixture, stages } = content.card
    return { card: content.card, stages: stageShares(mixtureStages(mixture, stages ?? undefined)) }
  }
  const { card, starts, path, mask } = content
  const documents = new StoredBounds(starts, card.longest_document)
  return { card, content, documents, mask, source: new DiskTokens(path, card) }
}
