import { existsSync, readFileSync } from 'node:fs'
import { loadEncoding } from '../../../../src/first-layer/tokens/encoding.js'
import { bytesOfToken } from '../../../../src/first-layer/tokens/vocabulary.js'
import { readGolden, verdictIds } from '../../../goldens.js'

/** A recipe of texts, as `documents` and `random` of trained-tokenizers.json have it. */
export type Recipe =
  | { readonly texts: readonly string[]; readonly times?: number }
  | { readonly file: string; readonly lines?: readonly [number, number]; readonly join?: boolean }
  | { readonly random: RandomTexts }

interface RandomTexts {
  readonly seed: number
  readonly letters: string
  readonly documents: number
  readonly words: number
  readonly length: number
  readonly lexicon: number
}

export interface TrainedCase {
  readonly id: string
  readonly documents: string
  readonly options: Readonly<Record<string, unknown>>
  readonly expect: {
    readonly num_tokens: number
    readonly num_merges: number
    readonly merges?: readonly (readonly [string, string])[]
    readonly merges_sha256?: string
    readonly vocabulary_sha256: string
  }
  readonly encode?: readonly { readonly text: string; readonly ids: readonly number[] }[]
}

interface RandomCase {
  readonly random: RandomTexts
  readonly options: Readonly<Record<string, unknown>>
  readonly num_merges: number
  readonly merges_sha256: string
  readonly vocabulary_sha256: string
}

export const golden = readGolden<{
  readonly letters: Readonly<Record<string, readonly string[]>>
  readonly documents: Readonly<Record<string, Recipe>>
  readonly cases: readonly TrainedCase[]
  readonly random: readonly RandomCase[]
  readonly refused: readonly {
    readonly documents: string
    readonly options: Readonly<Record<string, unknown>>
    readonly field: string
  }[]
}>('trained-tokenizers.json')

/** The texts of a recipe; undefined where its file lies beside the project, and is not there. */
export async function textsOf(recipe: Recipe): Promise<readonly string[] | undefined> {
  if ('random' in recipe) return randomTexts(recipe.random)
  if ('texts' in recipe) return Array.from({ length: recipe.times ?? 1 }, () => recipe.texts).flat()
  const text = await fileText(recipe.file)
  if (text === undefined || recipe.lines === undefined) return text === undefined ? undefined : [text]
  const [first, step] = recipe.lines
  const isTaken = (line: string, i: number) => i >= first && (i - first) % step === 0 && line !== ''
  const lines = text.split('\n').filter(isTaken)
  return recipe.join ? [lines.map((line) => `${line}\n`).join('')] : lines
}

async function fileText(file: string): Promise<string | undefined> {
  if (file.endsWith('the-verdict.txt')) {
    const { vocabulary } = await loadEncoding('gpt2')
    return Buffer.concat(verdictIds().map((id) => bytesOfToken(vocabulary!, id)!)).toString()
  }
  const path = new URL(`../../../../../shared/${file}`, import.meta.url)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Texts of random words, from a 32-bit xorshift generator; with a lexicon the first words are more frequent. */
export function randomTexts({
  seed,
  letters: name,
  documents,
  words,
  length,
  lexicon,
}: RandomTexts): string[] {
  const letters = golden.letters[name]!
  let state = Number((BigInt(seed + 1) * 2_654_435_761n) % 2n ** 32n)
  const draw = (below: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
  const word = () => Array.from({ length: 1 + draw(length) }, () => letters[draw(letters.length)]).join('')
  const known = Array.from({ length: lexicon }, word)
  const next = () => (lexicon > 0 ? known[Math.min(draw(lexicon), draw(lexicon))] : word())
  return Array.from({ length: documents }, () => Array.from({ length: words }, next).join(' '))
}
