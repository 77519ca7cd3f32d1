import type { DatasetCard } from '../service/corpus/dataset-card.js'
import type { ShardRecord } from './record.js'

/** Where the outputs of a run are read again. */
export interface ShardsPlace {
  /** The records of finished shards whose outputs are there, by input name and key. */
  records(signal: AbortSignal): Promise<readonly ShardRecord[]>
  /** The card of an output that is a dataset. @throws OtherLayout */
  card(id: string): Promise<DatasetCard | undefined>
}
