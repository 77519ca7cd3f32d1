import type { Datasets } from '../../../datasets/datasets.js'
import type { Models } from '../../../models/library/models.js'
import type { LimitVariables } from '../../limit-variables.js'

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
