import type {
  Architecture,
  LayerStep,
  PositionEmbeddingWire,
} from '../../first-layer/embeddings/architectures/registry.js'
import type { ConfigJson } from '../config-json.js'

/** How rows are multiplied before the first block. */
export interface FamilyScale {
  /** The factor; undefined if this config has none. */
  readonly factor: (config: ConfigJson) => number | undefined
  /** The factor is rounded before it multiplies, to the `model`'s own dtype (Gemma) or another; otherwise it stays float32. */
  readonly rounded?: 'model' | 'bfloat16'
}

/**
 * Which row of the position table belongs to position p: row p; p + 2 (BART), where the pad's own is zeros (XGLM), or a
 * masked slot has row 1 and takes no position (OPT); p + pad + 1 (ProphetNet), where the pad's id has row `pad` and takes
 * no position (RoBERTa). The pad is config.json's, 1 by default; 1 in any case in MPNet.
 */
type FamilyIndex =
  | ('plain' | 'two_on' | 'two_on_but_pad' | 'two_on_by_mask')
  | ('past_pad' | 'after_pad' | 'after_one')

/** Values of config.json's fields that are absent, each by one of the names under which it is looked up. */
export type FamilyDefaults = Readonly<Record<string, number>>

/** Makes a position scheme's wire value from config.json. */
export type SchemeOf = (config: ConfigJson) => PositionEmbeddingWire

/**
 * The first layer of a `model_type`, as data: the names of its tensors without the prefix, and the steps between a row and
 * the first block.
 *
 * Source: the modelling files of transformers 5.24 (docs/model-types.md lists them).
 */
export interface Family extends Pick<Architecture, 'embedSteps' | 'isRms' | 'normRoundsParts' | 'reader'> {
  /** config.json's `model_type`. */
  readonly modelType: string
  /** Prefixes of all names, in the order in which they are tried: a model saved with its head has one. */
  readonly prefixes: readonly string[]
  /** The token table [V, C]: the first of these names that is there. */
  readonly tokens: readonly string[]
  /** The object of config.json that has `text_config`. Absent: config.json itself. */
  readonly textIn?: string
  /** The encoder's own token table, which is meant where `tie_word_embeddings` is false. */
  readonly untied?: string
  /** More rows of the token table, in a tensor of their own. */
  readonly moreTokens?: string
  /** Rows that the token table has beyond `vocab_size`. */
  readonly moreRows?: number
  /** The position table. */
  readonly positions?: string
  /** The scheme computes positions where the checkpoint has no table of them. */
  readonly mayCompute?: boolean
  /** Each row of the position table is one of `positions` and one of these side by side, for all pairs (Reformer). */
  readonly axis?: string
  /** The token-type table. */
  readonly types?: string
  /** LayerNorm or RMSNorm, without `.weight`; some have no bias. Absent: without weight, or no norm. */
  readonly norm?: string
  /** The epsilon of the norm: its name in config.json and its default, or a fixed number. */
  readonly epsilon?: readonly [name: string, value: number] | number
  /** A multiplication [hidden, C], without `.weight`: left out where the widths are equal and it is not there. */
  readonly projection?: string
  /** A vector that is added to each row, or the first row of a table of them. */
  readonly vector?: string
  /** The row of one id: config.json's name of the id, its default, and the tensor. */
  readonly row?: readonly [id: string, value: number, tensor: string]
  /** In order; those whose tensors a checkpoint does not need are left out. */
  readonly steps: readonly LayerStep[]
  readonly scale?: FamilyScale
  readonly index?: FamilyIndex
  readonly scheme: SchemeOf
  /** Learned tensors of the scheme: `position.NAME` → the tensor's names. */
  readonly learned?: Readonly<Record<string, readonly string[]>>
  readonly defaults: FamilyDefaults
  /** Default of config.json's `type_vocab_size`. */
  readonly typeVocabSize?: number
}

/** Rows of the token-type table that this config.json asks for. */
export function typeRows({ types, typeVocabSize = 0 }: Family, config: ConfigJson): number {
  return types === undefined ? 0 : (config.number('type_vocab_size') ?? typeVocabSize)
}

type Line = Omit<Family, 'modelType'>
export type Families = Readonly<Record<string, Line>>

/** One line for all these names. */
export function alike<Each = Line>(line: Each, names: string): Readonly<Record<string, Each>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, line]))
}

/**
 * The defaults of a family's configuration class in transformers: width and heads of a block, and the longest sequence
 * (0: none). A family without them has the width of its table, and no more than config.json says.
 */
export function sizes(
  hidden: number,
  heads: number,
  positions: number,
  more: FamilyDefaults = {},
): FamilyDefaults {
  return {
    ...{ hidden_size: hidden, num_attention_heads: heads },
    ...(positions > 0 && { max_position_embeddings: positions }),
    ...more,
  }
}
export const pad = (id: number) => ({ pad_token_id: id })

/** Steps between the rows and the first block. */
export const plain = ['positions'] as const
export const scaled = ['scale', 'positions'] as const
export const encoder = ['types', 'positions', 'norm'] as const
/** An encoder whose tables are narrower than its blocks. */
export const narrow = ['types', 'positions', 'norm', 'project'] as const

/** Prefixes of a multimodal model's language model, the newest first. */
export const IN_MULTIMODAL = [
  'model.language_model.',
  'language_model.model.',
  'language_model.',
  'model.',
  '',
] as const
