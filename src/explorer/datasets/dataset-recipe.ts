/** How documents get into windows. */
export type Packing = 'none' | 'concat' | 'best_fit'

export const PACKINGS: readonly Packing[] = ['none', 'concat', 'best_fit']

/** A dataset as the service lists it. A mixture has no counts. */
export interface Dataset {
  readonly id: string
  readonly name: string | null
  readonly encoding: string | null
  readonly num_documents?: number
  readonly num_tokens?: number
}

/** The batch of a dataset that is on screen. */
export interface DatasetRecipe {
  readonly dataset: string
  readonly context_length: number
  readonly batch_size: number
  readonly packing: Packing
  readonly tail: 'pad' | 'drop'
  /** Under `best_fit`. */
  readonly long_documents?: 'split' | 'truncate'
  readonly shuffle?: 'index'
  readonly seed?: number
  readonly epoch?: number
  readonly rank?: number
  readonly world_size?: number
  /** For a dataset without an encoding. */
  readonly pad_token_id?: number
  readonly batch: number
}

/** The plan of a recipe, as far as the page shows it. */
export interface Forecast {
  readonly num_windows: number
  /** Absent of a mixture, which does not end. */
  readonly num_batches?: number
  readonly fill: number
  readonly num_padding: number
  readonly num_split_documents: number
}

/** Ids and segments of a batch: rows of T. */
export interface Batch {
  readonly num_batches?: number
  readonly outputs: Readonly<Record<'input_ids' | 'segment_ids', { readonly data: readonly number[][] }>>
}
