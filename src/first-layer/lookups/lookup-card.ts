import type { FloatDtype } from '../tensors/named-tensor.js'
import type { FileTensor } from '../tensors/safetensors/header.js'

/** A table that stays in its file: rows are read by position. */
export interface DiskTableCard {
  /** The tensors that make it, end to end. */
  readonly tensors: readonly FileTensor[]
  readonly rows: number
  /** Numbers of a row. */
  readonly width: number
  /** Their element type in the file. */
  readonly stored: FloatDtype
}

/** Rows of one hash of an n-gram: Σ or ⊕ over its tokens of id × multiplier in 64 bits, modulo `sizes[h]`, + `offsets[h]`. */
export interface NgramHash {
  readonly combine: 'xor' | 'sum'
  /** int64 as decimals, of the n-gram's last token first: as many as it has tokens. */
  readonly multipliers: readonly string[]
  /** One for each head. */
  readonly sizes: readonly number[]
  readonly offsets: readonly number[]
}

/** One table of rows of hashed n-grams. */
export interface NgramTableCard {
  /** The layer that takes the rows, as config.json counts; 0: they are added before the first. */
  readonly layer: number
  readonly table: DiskTableCard
  /** Rows of a token, of all hashes. */
  readonly heads: number
  readonly hashes: readonly NgramHash[]
  /** The numbers that the hashes are made of, as they are described. */
  readonly multipliers: readonly string[]
}

export interface NgramsCard {
  /** The id before a text's first token. */
  readonly fill: number
  /** A token sees back to the last `fill` before it; what it cannot see, and a masked slot, counts as `fill`. */
  readonly stopsAtFill: boolean
  /** Tokens before a token that its rows depend on. */
  readonly context: number
  readonly tables: readonly NgramTableCard[]
  /** H: rows of a token, of all tables. */
  readonly heads: number
  /** E: their numbers. */
  readonly width: number
  /** The rows are added to the token's own before the first block, one after the other. */
  readonly areAdded: boolean
}

/** A row for each layer beside the token's own. Its resident tables: `per_layer.projection.weight`, `per_layer.norm.weight`. */
export interface PerLayerCard {
  readonly layers: number
  /** D: numbers of a layer's row. */
  readonly width: number
  /** [rows, L·D]; an id beyond it has row 0. */
  readonly table: DiskTableCard
  /** Factor of the rows. */
  readonly scale: number
  /** Factor of the projected token row. */
  readonly projectionScale: number
  readonly epsilon: number
  /** Factor of the sum of both. */
  readonly sumScale: number
}

/** What a model looks up or takes beside a token's row, as plain data. */
export interface LookupCard {
  readonly perLayer?: PerLayerCard
  readonly ngrams?: NgramsCard
  /** Blocks choose their experts by the token's id: its row is not all that they read. */
  readonly routesById?: true
  /** Streams that the first block takes: copies of the row, or it and its products with `streams.0.weight`, …, as long as it is. */
  readonly streams?: { readonly count: number; readonly areProjected: boolean }
}

interface LookupOutput {
  /** Axes behind [B, T]; undefined: the model does not give it. @param hiddenSize of a stream */
  axes(card: LookupCard, hiddenSize: number): readonly number[] | undefined
  readonly isIds: boolean
}

const ofLayers: LookupOutput = {
  axes: ({ perLayer }) => perLayer && [perLayer.layers, perLayer.width],
  isIds: false,
}

/** The tensors of models that look up more than a token's row. */
export const LOOKUP_OUTPUTS: Readonly<Record<string, LookupOutput>> = {
  hidden_streams: { axes: ({ streams }, hiddenSize) => streams && [streams.count, hiddenSize], isIds: false },
  per_layer_inputs: ofLayers,
  per_layer_projected: ofLayers,
  ngram_ids: { axes: ({ ngrams }) => ngrams && [ngrams.heads], isIds: true },
  ngram_embeddings: { axes: ({ ngrams }) => ngrams && [ngrams.width], isIds: false },
}

/** Numbers of the longest row that is made of a token. @param hiddenSize of a stream */
export function widestLookupRow({ perLayer, ngrams, streams }: LookupCard, hiddenSize: number): number {
  return Math.max(perLayer?.table.width ?? 0, ngrams?.width ?? 0, (streams?.count ?? 0) * hiddenSize)
}

/** The tables that stay in their files. */
export function diskTables({ perLayer, ngrams }: LookupCard): readonly DiskTableCard[] {
  return [...(perLayer ? [perLayer.table] : []), ...(ngrams?.tables ?? []).map(({ table }) => table)]
}
