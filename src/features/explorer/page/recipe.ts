import sample from '../../../../docs/sample.txt'
import type { PositionType } from './schemes.js'

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
  /** Present: the loader shuffles. */
  readonly seed?: number
  readonly epoch?: number
  readonly drop_last?: 'true'
  readonly position_embedding?: PositionType
  readonly position_offset?: number
  /** A second position scheme, for comparing: the page's own field. */
  readonly beside?: PositionType
}

export const batch = { batch_size: 8, batch_index: 0 }
export const cat: Recipe = {
  text: 'The cat sat on the mat\nOn the mat the cat sat',
  documents: 'lines',
  ...batch,
}

const TEXTS = ['text', 'documents', 'model', 'tail', 'drop_last', 'position_embedding', 'beside']
const NUMBERS = 'context_length stride pad_token_id batch_size batch_index seed epoch position_offset'.split(
  ' ',
)

/** The recipe that the fields of a form or of a link write: an empty field is absent, an unknown one is left out. */
export function recipeOf(fields: Iterable<readonly [string, unknown]>): Recipe {
  const given = [...fields].filter(([name, value]) => value !== '' || name === 'text')
  const texts = given.filter(([name]) => TEXTS.includes(name))
  const numbers = given.filter(([name]) => NUMBERS.includes(name))
  const read = [...texts, ...numbers.map(([name, value]) => [name, Number(value)] as const)]
  return { text: '', documents: 'one', ...batch, ...Object.fromEntries(read) }
}

export function isSame(one: Recipe, other: Recipe): boolean {
  return [...TEXTS, ...NUMBERS].every((name) => one[name as 'text'] === other[name as 'text'])
}

/** Most documents that the page sends: each has one strip. */
const MAX_LINES = 32

/** The texts of a recipe: lines that are not empty, or the whole text; none where it is ids. */
export function documentsOf({ text, documents }: Recipe): readonly string[] {
  if (documents === 'ids') return []
  if (documents === 'one') return [text]
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.length === 0 ? [''] : lines.slice(0, MAX_LINES)
}

/** The ids that a text of numbers writes: "2 3 5 1" → [2, 3, 5, 1]. Words that are no numbers become NaN. */
export function idsOf({ text }: Recipe): number[] {
  const words = text.split(/[\s,[\]]+/).filter((word) => word !== '')
  return words.map(Number)
}

interface Preset {
  readonly name: string
  /** The effect that the preset shows. */
  readonly about: string
  /** The token that is selected, if it is another than the second. */
  readonly token?: number
  readonly recipe: Recipe
}

/** The number of samples in the long text: some more than 100,000 tokens. */
const TIMES = 106

const TEA = 'Hello, do you like tea? <|endoftext|> In the sunlit terraces of someunknownPlace.'

export const presets: readonly Preset[] = [
  {
    name: 'The cat moves',
    about: 'The same words at other positions: equal rows, other sums.',
    recipe: cat,
  },
  {
    name: 'A killed B',
    about: 'The same words in another order mean another thing.',
    recipe: { text: ' A killed B\n B killed A', documents: 'lines', ...batch }, // a blank first: “B” and “ B” are two tokens
  },
  {
    name: 'The notebook: 8 × 4 × 256',
    about: 'A loader’s first batch: eight windows of four tokens.',
    recipe: { text: sample, documents: 'one', context_length: 4, stride: 4, ...batch },
  },
  {
    name: 'The book’s 6 × 3 table',
    about: 'Six words, six rows of three. The id 5, “over”, has one row wherever it stands.',
    token: 2,
    recipe: { text: 'fox jumps over dog\nover dog jumps over', documents: 'lines', model: 'tiny', ...batch },
  },
  {
    name: 'Emoji and हिन्दी',
    about: 'Characters that are several tokens, tokens that are half a character.',
    recipe: { text: 'नमस्ते 👩‍🚀 cats 🐈 and naïve cafés', documents: 'one', ...batch },
  },
  {
    name: '100,000 tokens',
    about: 'A long text in windows of 256 that overlap by half.',
    recipe: { text: sample.repeat(TIMES), documents: 'one', context_length: 256, stride: 128, ...batch },
  },
  {
    name: '<|endoftext|> and new words',
    about: 'A special token is one id, 50256; an unknown word is several pieces.',
    recipe: { text: TEA, documents: 'one', ...batch },
  },
  {
    name: 'A loader’s second pass',
    about: 'Shuffled by seed 123, epoch 1: another order. drop_last leaves out a short batch.',
    recipe: {
      ...{ text: sample, documents: 'one', context_length: 4, stride: 4, batch_size: 7, batch_index: 0 },
      ...{ seed: 123, epoch: 1, drop_last: 'true' },
    },
  },
  {
    name: 'Absolute beside relative',
    about: 'A row added at each position, beside an angle that attention turns by.',
    recipe: { ...cat, beside: 'rope' },
  },
]

/** Most characters of a link: mail and chat cut longer ones. */
const MAX_LINK = 8192

/**
 * What the page shows as a fragment of an address, which is never sent to a server: `#text=A+killed+B&documents=one`. A
 * text that would make it too long goes by its preset's name, or stays away.
 */
export function fragmentOf({ text, ...others }: Recipe, at?: number): string {
  const written = (fields: object) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    return `#${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
  }
  const whole = text.length > MAX_LINK ? undefined : written({ text, ...others, step: at })
  if (whole !== undefined && whole.length <= MAX_LINK) return whole
  const preset = presets.find((each) => each.recipe.text === text)
  return written({ text_of: preset?.name ?? '', ...others, step: at })
}

interface Shared {
  /** Without its text where that was too long for the link. */
  readonly recipe: Omit<Recipe, 'text'> & { readonly text?: string }
  readonly step: number | undefined
}

/** Reads a fragment; undefined for one that is no link of this page. The service checks the values. */
export function readFragment(fragment: string): Shared | undefined {
  const fields = new URLSearchParams(fragment.slice(1))
  if (!fields.has('text') && !fields.has('text_of')) return undefined
  const { text, ...others } = recipeOf(fields)
  const preset = presets.find(({ name }) => name === fields.get('text_of'))
  const ownText = fields.has('text') ? text : preset?.recipe.text
  const at = fields.get('step')
  return {
    recipe: { ...others, ...(ownText !== undefined && { text: ownText }) },
    step: at === null ? undefined : Number(at),
  }
}
