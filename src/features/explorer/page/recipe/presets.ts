import sample from '../../../../../docs/sample.txt'
import type { Recipe } from './recipe.js'

/** A recipe to begin with. */
export interface Preset {
  readonly name: string
  /** The effect that the preset shows. */
  readonly about: string
  readonly recipe: Recipe
}

const batch = { batch_size: 8, batch_index: 0 }

/** How often the sample stands in the long text: some more than 100,000 tokens. */
const TIMES = 100_000 / 950

export const presets: readonly Preset[] = [
  {
    name: 'The cat moves',
    about: 'The same words at other places.',
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
