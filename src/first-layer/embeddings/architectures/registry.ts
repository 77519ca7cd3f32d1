import {
  bindPositionEmbedding,
  type PositionEmbedding,
  type PositionEmbeddingValue,
  readPositionEmbedding,
} from '../positions/position-embedding.js'

/**
 * One thing that a first layer does to looked-up rows:
 *
 * - `scale`: multiply by a number
 * - `types`: add the row of `wtt.weight` that `token_type_ids` names
 * - `positions`: add the position rows of an additive scheme
 * - `norm`: LayerNorm over the channels
 * - `project`: multiply by `projection.weight` [hidden, C], add `projection.bias`
 * - `mask`: write 0 over the rows that the attention mask hides
 */
export type LayerStep = 'scale' | 'types' | 'positions' | 'norm' | 'project' | 'mask'

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
  /** The embedding module itself scales: `inputs_embeds` are scaled too. */
  readonly scalesInputsEmbeds?: boolean
  readonly layerNormEpsilon?: number
  /** Rounds the parts of `norm` too if the steps are rounded: the normalised rows and their product with the weight (DeBERTa). */
  readonly normRoundsParts?: boolean
  /** Absent: a token's row of `wpe.weight` is that of its position. */
  readonly positionIndex?: PositionIndex
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
}

/** A scheme as a request may write it: a type, or an object with some options. */
export type PositionEmbeddingWire = string | PositionEmbeddingValue

/** Whether requests may give `token_type_ids`. */
export function takesTokenTypes({ steps }: Architecture): boolean {
  return steps.includes('types')
}

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
  { name: 'gemma', steps: scaled, positionEmbedding: 'rope', scalesInputsEmbeds: true },
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

/**
 * The architectures of models from checkpoints that are not in the registry: the `model_type`s of their families (a test
 * compares this list with the families).
 */
export const checkpointArchitectures: readonly string[] = `
  albert bart camembert codegen cohere cohere2 ctrl deberta-v2 deepseek_v2 deepseek_v3 distilbert electra
  falcon falcon_h1 gemma2 gemma3 gemma3_text glm glm4 gpt_bigcode gpt_neo gpt_oss gptj granite granitemoe
  llama4 llama4_text mbart ministral mistral mixtral model2vec modernbert mpnet mpt mt5 nemotron olmo olmo2
  olmo3 olmoe openai-gpt opt phi phi3 qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next roberta smollm3 stablelm
  starcoder2 static_embedding umt5 gemma3n gemma3n_text gemma4 gemma4_text deepseek_v4 hy_v4 hy_v4_vl glm5_next qwen4_exp
  qwen4_exp_text xglm xlm-roberta xlnet
`
  .trim()
  .split(/\s+/)
