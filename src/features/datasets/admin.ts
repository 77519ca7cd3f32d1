import type { TorchPermutation } from '../../first-layer/datasets/orders.js'
import type { WindowIndex } from '../../first-layer/datasets/segments.js'
import type { PackingRule } from '../../first-layer/datasets/window-index.js'
import type { DatasetCard, DatasetContent, MixtureCard } from '../../service/corpus/dataset-card.js'
import type { DataFolder } from './data-folder.js'

/** What the first thread does for the datasets of all threads. Arrays in its answers are shared, not copied. */
export interface DatasetAdmin {
  /** Where uploads go. */
  folder(): Promise<DataFolder>
  /** @throws InletError `dataset_not_found` */
  open(id: string): Promise<DatasetContent>
  list(): Promise<readonly DatasetCard[]>
  /** @throws InletError `dataset_not_found` */
  remove(id: string): Promise<void>
  /** @returns the card that is there, and whether it is this one */
  putMixture(card: MixtureCard): Promise<{ readonly card: MixtureCard; readonly isNew: boolean }>
  /** The windows of a corpus under a packing. @throws InletError `dataset_not_found`, `dataset_indexing` */
  index(id: string, rule: PackingRule): Promise<WindowIndex>
  /** @throws InletError `dataset_indexing` where too many are being made */
  permutation(permutation: TorchPermutation): Promise<Int32Array>
}
