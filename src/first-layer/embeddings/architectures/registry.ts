import { bindPositionEmbedding, type PositionEmbedding } from '../positions/position-embedding.js'
import { type PositionEmbeddingValue, readPositionEmbedding } from '../positions/position-option.js'

/**
 * One thing that a first layer does to looked-up rows:
 *
 * - `scale`: multiply by a number
 * - `vector`: add `vector.weight` [C] to each
 * - `row`: put `row.weight` [C] in the place of one id's row, zeros if there is none
 * - `types`: add the row of `wtt.weight` that `token_type_ids` names
 * - `positions`: add the position rows of an additive scheme
 * - `norm`: LayerNorm or RMSNorm over the channels
 * - `project`: multiply by `projection.weight` [hidden, C], add `projection.bias`
 * - `mask`: write 0 over the rows that the attention mask hides
 */
export type LayerStep = 'scale' | 'vector' | 'row' | 'types' | 'positions' | 'norm' | 'project' | 'mask'

/** The steps between a row of the token table and the first block. Plain data. */
export interface Architecture {
  /** The wire value, `architecture: "bert"`. */
  readonly name: string
  /** The position scheme for requests that name none, as on the wire. */
  readonly positionEmbedding: PositionEmbeddingWire
  /** The steps for looked-up rows, in order. `positions` is always among them: a request may choose a scheme. */
  readonly steps: readonly LayerStep[]
  /** Factor of `scale`, a float32 number; absent: √C, rounded to float32. */
  readonly scale?: number
  /** How many of the first steps the embedding module itself does: `inputs_embeds` have them too. Absent: none. */
  readonly embedSteps?: number
  /** The id that has a row of its own, if `row` is a step. */
  readonly rowId?: number
  readonly layerNormEpsilon?: number
  /** `norm` is an RMSNorm: no mean is subtracted. */
  readonly isRms?: boolean
  /** Rounds the parts of `norm` too if the steps are rounded: the normalised rows and their product with the weight (DeBERTa). */
  readonly normRoundsParts?: boolean
  /** What takes the prompt, if it is not a decoder. */
  readonly reader?: 'encoder' | 'encoder_decoder'
  /** Absent: a token's row of `wpe.weight` is that of its position. */
  readonly positionIndex?: PositionIndex
  /** Ids that have another one's row in `inputs_embeds` and behind it. */
  readonly replaced?: { readonly ids: readonly number[]; readonly by: number }
}

/** The row of `wpe.weight` that belongs to a token. */
export interface PositionIndex {
  /** Row of position 0. */
  readonly base: number
  /**
   * How a slot is known to be a pad, which takes no position and gets the row `padRow`: by the attention mask (OPT), by
   * the token's id (RoBERTa), or not at all (BART).
   */
  readonly pads: 'none' | 'mask' | 'id'
  readonly padRow?: number
  /** A row of zeros, whatever the scheme computes for it (XGLM: the row of the pad's id). */
  readonly zeroRow?: number
  /** The pad's id, if `pads` is `id`. */
  readonly padId?: number
  /** `vector.weight` is added to each row of a computed table first (KOSMOS-2.5's segment). */
  readonly addsVector?: boolean
}

/** A scheme as a request may write it: a type, or an object with some options. */
export type PositionEmbeddingWire = string | PositionEmbeddingValue

const plain = ['positions'] as const
const scaled = ['scale', 'positions'] as const

/** DeBERTa's embedding layer, which adds no positions: `position_biased_input` false. */
const deberta = { steps: ['positions', 'norm', 'mask'], layerNormEpsilon: 1e-7 } as const

/** Every architecture. To add one, add its line here and its paragraph to docs/architectures.md. */
export const architectures: readonly Architecture[] = [
  { name: 'gpt2', steps: plain, positionEmbedding: 'learned_absolute' },
  { name: 'transformer', steps: scaled, positionEmbedding: 'sinusoidal' },
  {
    name: 'bert',
    steps: ['types', 'positions', 'norm'],
    positionEmbedding: 'learned_absolute',
    layerNormEpsilon: 1e-12,
  },
  { name: 'llama', steps: plain, positionEmbedding: 'rope' },
  { name: 'gpt_neox', steps: plain, positionEmbedding: 'rope' },
  { name: 'gemma', steps: scaled, positionEmbedding: 'rope', embedSteps: 1 },
  { name: 't5', steps: plain, positionEmbedding: 't5' },
  { ...deberta, name: 'deberta', positionEmbedding: { type: 'deberta', version: 1 } },
  { ...deberta, name: 'deberta_v2', positionEmbedding: { type: 'deberta', version: 2 } },
  { name: 'transformer_xl', steps: scaled, positionEmbedding: 'transformer_xl' },
  { name: 'bloom', steps: ['positions', 'norm'], positionEmbedding: 'alibi', layerNormEpsilon: 1e-5 },
]

export const architectureNames = architectures.map(({ name }) => name)

/** @throws Error for an unknown name, which parsing has refused */
export function namedArchitecture(name: string): Architecture {
  const found = findArchitecture(name)
  if (found === undefined) throw new Error(`no architecture is called ${name}`)
  return found
}

export function findArchitecture(name: string): Architecture | undefined {
  return architectures.find((architecture) => architecture.name === name)
}

/** An architecture's own position scheme: bert → `learned_absolute`. */
export function ownPosition({ positionEmbedding }: Architecture): PositionEmbedding {
  return bindPositionEmbedding(readPositionEmbedding(positionEmbedding))
}
