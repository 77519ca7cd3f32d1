import type { Models } from '../../../service/models/library/models.js'
import type { Config } from '../../../service/process/config.js'
import type { Datasets } from '../datasets.js'

/** The parts that the routes of datasets share. */
export interface DatasetContext {
  readonly datasets: Datasets
  readonly models: Models
  readonly variables: Config
}

/** A path with `:dataset` in it, for the framework's types. */
export interface DatasetPath {
  Params: { dataset: string }
}

export const JSON_TYPE = 'application/json'
