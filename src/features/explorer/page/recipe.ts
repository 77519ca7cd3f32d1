import type {
  Architecture,
  Model,
  PositionEmbeddingOptions,
} from '../../../../clients/typescript/src/index.js'
import sample from '../../../../docs/sample.txt'

export type PositionType = PositionEmbeddingOptions['type']

/** A scheme and its options, as the interface takes them: `{ type: 'rope', head_dim: 4 }`. */
export interface Position {
  readonly type: PositionType
  readonly [option: string]: string | number | boolean
}

/** The fields that the page sends. The interface gives names and defaults; an absent field has the service's default. */
export interface Recipe {
  readonly text: string
  /** `lines`: each line of the text is one document. `ids`: the text is numbers, the ids of one document. */
  readonly documents: 'one' | 'lines' | 'ids'
  readonly model?: string
  readonly context_length?: number
  readonly stride?: number
  readonly tail?: 'drop' | 'pad'
  readonly pad_token_id?: number
  readonly batch_size: number
  readonly batch_index: number
  readonly shuffle?: boolean
  readonly seed?: number
  readonly position_embedding?: Position
  readonly position_offset?: number
  readonly architecture?: Architecture
}

/** Most documents that the page sends: each has one strip. */
const MAX_LINES = 32

/** The ids that a text of numbers writes: "2 3 5 1" → [2, 3, 5, 1]. Words that are no numbers become NaN. */
export function idsOf({ text }: Recipe): number[] {
  return text
    .split(/[\s,[\]]+/)
    .filter((word) => word !== '')
    .map(Number)
}

/** The texts of a recipe: lines that are not empty, or the whole text; none where it is ids. */
export function documentsOf({ text, documents }: Recipe): readonly string[] {
  if (documents === 'ids') return []
  if (documents === 'one') return [text]
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.length === 0 ? [''] : lines.slice(0, MAX_LINES)
}

interface Preset {
  readonly name: string
  /** The effect that the preset shows. */
  readonly about: string
  readonly recipe: Recipe
}

const batch = { batch_size: 8, batch_index: 0 }

/** The number of samples in the long text: some more than 100,000 tokens. */
const TIMES = 100_000 / 950

export const presets: readonly Preset[] = [
  {
    name: 'The cat moves',
    about: 'The same words at other positions.',
    recipe: { text: 'The cat sat on the mat\nOn the mat the cat sat', documents: 'lines', ...batch },
  },
  {
    name: 'A killed B',
    about: 'Three words, and the order is the meaning.',
    recipe: { text: 'A killed B\nB killed A', documents: 'lines', ...batch },
  },
  {
    name: 'The notebook: 8 × 4 × 256',
    about: 'A loader’s first batch: eight windows of four tokens.',
    recipe: { text: sample, documents: 'one', context_length: 4, stride: 4, ...batch },
  },
  {
    name: 'The book’s 6 × 3 table',
    about:
      'A table so small that every number can be read: six rows of three. Here the ids are given, not a text.',
    recipe: { text: '2 3 5 1', documents: 'ids', model: 'tiny', ...batch },
  },
  {
    name: 'Emoji and हिन्दी',
    about: 'Characters that are several tokens, and tokens that are half a character.',
    recipe: { text: 'नमस्ते 👩‍🚀 cats 🐈 and naïve cafés', documents: 'one', ...batch },
  },
  {
    name: '100,000 tokens',
    about: 'A long text in windows of 256 that overlap by half.',
    recipe: {
      text: sample.repeat(Math.ceil(TIMES)),
      documents: 'one',
      context_length: 256,
      stride: 128,
      ...batch,
    },
  },
]

/** An option of a scheme: its default as a number, or what can be chosen, the default first. */
interface SchemeOption {
  readonly name: string
  readonly standard: number | readonly string[]
}

const HEADS: SchemeOption = { name: 'num_heads', standard: 8 }
const HEAD_DIM: SchemeOption = { name: 'head_dim', standard: 64 }

/** The position schemes, and the options that the page offers; the interface gives the defaults. */
export const SCHEMES: Readonly<Record<PositionType, readonly SchemeOption[]>> = {
  learned_absolute: [],
  sinusoidal: [],
  rope: [
    HEAD_DIM,
    { name: 'rope_theta', standard: 10_000 },
    { name: 'layout', standard: ['half', 'interleaved'] },
  ],
  alibi: [HEADS, { name: 'form', standard: ['causal', 'symmetric', 'key'] }],
  t5: [
    HEADS,
    { name: 'num_buckets', standard: 32 },
    { name: 'max_distance', standard: 128 },
    { name: 'bidirectional', standard: ['true', 'false'] },
  ],
  shaw: [{ name: 'max_relative_position', standard: 16 }, HEAD_DIM],
  transformer_xl: [HEADS, { name: 'memory_length', standard: 0 }],
  deberta: [
    { name: 'position_buckets', standard: 256 },
    { name: 'max_relative_positions', standard: 512 },
  ],
  none: [],
}

/** The architectures that a recipe can name, each with the position scheme that comes with it. */
export const ARCHITECTURES: Readonly<Partial<Record<Architecture, Position>>> = {
  gpt2: { type: 'learned_absolute' },
  transformer: { type: 'sinusoidal' },
  bert: { type: 'learned_absolute' },
  llama: { type: 'rope' },
  gpt_neox: { type: 'rope' },
  gemma: { type: 'rope' },
  t5: { type: 't5' },
  deberta: { type: 'deberta', version: 1 },
  deberta_v2: { type: 'deberta', version: 2 },
  transformer_xl: { type: 'transformer_xl' },
  bloom: { type: 'alibi' },
}

/**
 * The scheme that a recipe means: the one that it names, else that of the architecture that it names; undefined: the
 * scheme of the model. A model from a folder keeps its own scheme, whatever its architecture is called.
 */
export function positionOf(
  { position_embedding, architecture }: Recipe,
  model: Model | undefined,
): Position | undefined {
  if (position_embedding !== undefined || architecture === undefined) return position_embedding
  return model?.tables?.source === 'folder' ? undefined : ARCHITECTURES[architecture]
}
