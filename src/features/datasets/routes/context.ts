import type { Models } from '../../../service/models/library/models.js'
import type { LimitVariables } from '../../../service/request/limit-variables.js'
import type { Datasets } from '../datasets.js'

/** The parts that the routes of datasets share. */
export interface DatasetContext {
  readonly datasets: Datasets
  readonly models: Models
  readonly variables: LimitVariables
}

/** A path with `:dataset` in it, for the framework's types. */
export interface DatasetPath {
  Params: { dataset: string }
}

export const JSON_TYPE = 'application/json'
