/** The variables of datasets, under their names. */
export interface StorageVariables {
  readonly DATASETS: 'on' | 'off'
  readonly DATA_DIR?: string | undefined
  readonly DATA_QUOTA_BYTES: number
  readonly DATA_CACHE_DIR?: string | undefined
  readonly DATA_CACHE_BYTES: number
  readonly MAX_DATASET_BYTES: number
  readonly MAX_DATASET_MEMORY_BYTES: number
}
