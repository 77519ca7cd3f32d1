import type { RecipeFields } from '../first-layer/datasets/recipe-options.js'

/** How the ids of a file are laid out. */
export interface TokenFileOptions {
  /** Element type, little-endian. Default: `uint16`, as nanoGPT's `.bin`. */
  readonly dtype?: 'uint16' | 'uint32' | 'int32'
  /** A document ends after each of these ids. Absent: the file is one document. */
  readonly separator_id?: number
}

/** The fields of a recipe, with the names and defaults of the HTTP service's datasets. */
export interface DatasetRecipeOptions extends Omit<RecipeFields, 'shuffle'> {
  readonly context_length: number
  readonly batch_size: number
  /** `true`: PyTorch's loader under `seed`; `index`: a keyed order for any number of windows. Default: false. */
  readonly shuffle?: boolean | 'index'
}

/** The outcome of a recipe before it runs. */
export interface DatasetPlan {
  /** 26 letters: of the dataset (a file by its path, ids by their content) and of all that decides order and content. */
  readonly recipeId: string
  readonly numWindows: number
  /** Batches of an epoch. */
  readonly numBatches: number
  /** The share of slots that hold tokens. */
  readonly fill: number
  readonly numPadding: number
  /** Tokens that no window holds. */
  readonly numDroppedTokens: number
  readonly numSplitDocuments: number
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
  /** What a recipe will give. @throws InletError `invalid_request` */
  plan(recipe: DatasetRecipeOptions): DatasetPlan
  /** @throws InletError `invalid_request`, `batch_out_of_range`, `unsupported_combination` */
  batch(index: number, recipe: DatasetRecipeOptions): Promise<DatasetBatch>
  /** The batches of one epoch and one rank. @param from the first batch, to go on in mid-epoch */
  batches(recipe: DatasetRecipeOptions, from?: number): AsyncGenerator<DatasetBatch, void, void>
  /** Closes the file of {@link datasetFromFile}. */
  close(): Promise<void>
}
