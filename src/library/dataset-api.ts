import type { WindowsFill } from '../first-layer/datasets/segments.js'
import type { DatasetRecipeOptions } from './options.js'

/** How the ids of a file are laid out. */
export interface TokenFileOptions {
  /** Element type, little-endian. Default: `uint16`, as nanoGPT's `.bin`. */
  readonly dtype?: 'uint16' | 'uint32' | 'int32'
  /** A document ends after each of these ids. Absent: the file is one document. */
  readonly separator_id?: number
}

/** The outcome of a recipe before it runs. */
export interface DatasetPlan extends WindowsFill {
  /** 26 letters: of the dataset (a file by its path, ids by their content) and of all that decides order and content. */
  readonly recipeId: string
  /** Batches of an epoch. */
  readonly numBatches: number
  readonly longestDocument: number
}

/** The rows of a batch that one rank gets: [B, T], or no row in an epoch's short last batch. */
export interface DatasetBatch {
  readonly recipeId: string
  readonly epoch: number
  readonly batchIndex: number
  /** [B, T] */
  readonly shape: readonly [number, number]
  /** [B, T] */
  readonly input_ids: Int32Array
  /** [B, T]: the next token, −100 without one. */
  readonly target_ids: Int32Array
  /** [B, T]: 1 at a token, 0 at padding. */
  readonly attention_mask: Int32Array
  /** [B, T]: from 0 in each segment. */
  readonly position_ids: Int32Array
  /** [B, T]: 0, 1, … in a window, −1 at padding. */
  readonly segment_ids: Int32Array
  /** [S + 1]: the ends of all segments over the B·T slots. */
  readonly cu_seq_lens: Int32Array
  /** [B]: the document of each window's first segment. */
  readonly document_ids: Int32Array
  /** [B]: where each window's first segment begins in its document. */
  readonly window_starts: Int32Array
}

/** A corpus of token ids: any batch of any epoch, by its number. It keeps no place; reading again gives the same. */
export interface Dataset {
  readonly numDocuments: number
  readonly numTokens: number
  /** The plan of a recipe. @throws InletError `invalid_request` */
  plan(recipe: DatasetRecipeOptions): DatasetPlan
  /** @throws InletError `invalid_request`, `batch_out_of_range`, `unsupported_combination` */
  batch(index: number, recipe: DatasetRecipeOptions): Promise<DatasetBatch>
  /** The batches of one epoch and one rank. @param from the first batch, to go on in mid-epoch */
  batches(recipe: DatasetRecipeOptions, from?: number): AsyncGenerator<DatasetBatch, void, void>
  /** Closes the file of {@link datasetFromFile}. */
  close(): Promise<void>
}

/** A dataset of a mixture. */
export interface MixtureMemberOptions {
  readonly dataset: Dataset
  /** Above 0: its part of the windows. Left out where stages have the weights. */
  readonly weight?: number
}

/** Weights from a window of the stream on: a multiple of 1,024, 0 in the first stage. */
export interface MixtureStageOptions {
  readonly from_window: number
  readonly weights: readonly number[]
}

/** The outcome of a mixture's recipe; over all datasets, each read once. */
export interface MixturePlan extends WindowsFill {
  readonly recipeId: string
  readonly longestDocument: number
  /** For each dataset, in order. */
  readonly shares: readonly {
    readonly numWindows: number
    /** Windows of the dataset in each 1,024 of the stream, for each stage. */
    readonly windowsPerBlock: readonly number[]
    /** The place behind its first epoch's last window; null where that epoch never ends. */
    readonly firstEpochEndsAt: number | null
  }[]
}

/** A batch of a mixture. Documents count within their dataset. */
export interface MixtureBatch extends DatasetBatch {
  /** [B]: the dataset of each row. */
  readonly dataset_index: Int32Array
}

/** An endless stream of windows of several datasets, in shares. It keeps no place, as a {@link Dataset} keeps none. */
export interface DatasetMixture {
  /** The plan of a recipe. @throws InletError `invalid_request`, `no_windows` for a dataset that gives none */
  plan(recipe: DatasetRecipeOptions): MixturePlan
  /** @throws InletError `invalid_request`, `no_windows`, `batch_out_of_range` beyond 2^42 windows */
  batch(index: number, recipe: DatasetRecipeOptions): Promise<MixtureBatch>
  /** Batches without an end. @param from the first batch, to go on */
  batches(recipe: DatasetRecipeOptions, from?: number): AsyncGenerator<MixtureBatch, void, void>
}
