import { largeFloat32Array } from '../../memory.js'
import { TorchGenerator } from '../../random/generator.js'
import { fillNormal } from '../../random/normal-slices.js'
import { PAUSE, run, type Steps } from '../../steps.js'
import { derived, madeAtOnce, madeInSteps, type Prepared } from './prepared.js'
import { type PositionProblem, type PositionRequest, refuse } from './scheme.js'

/** Numbers that one request may have drawn: 64 MiB. */
export const MAX_DRAWN_NUMBERS = 2 ** 24

/** Up to so many numbers are drawn in one step: a tenth of a millisecond of work. */
const FEW = 2 ** 14

/** Tables that were drawn together, one after the other from one stream. */
type DrawnTogether = readonly Float32Array[]

/**
 * Tables of standard normals from a fresh `torch.manual_seed(seed)`, one after the other: `drawnTables(123, [8, 4])()`
 * is `torch.manual_seed(123); torch.randn(8); torch.randn(4)`. The shape does not matter: `nn.Embedding(4, 2)` draws
 * the same numbers as `torch.randn(8)`.
 */
export function drawnTables(seed: number | string, lengths: readonly number[]): Prepared<DrawnTogether> {
  const wide = BigInt(seed)
  const numbers = lengths.reduce((sum, length) => sum + length, 0)
  const drawn = () => drawnOnce(`${wide}:${lengths.join(',')}`, numbers, () => draw(wide, lengths))
  return numbers <= FEW ? madeAtOnce(() => run(drawn())) : madeInSteps(drawn)
}

/** A scheme's table that a model has learned: its name, and its numbers. */
interface LearnedTable {
  readonly name: string
  readonly length: number
}

/** A scheme's learned tables: the model's where it has them, the others drawn from `seed`, all in one drawing. */
export function learnedTables<const Tables extends readonly LearnedTable[]>(
  type: string,
  { learned }: Pick<PositionRequest, 'learned'>,
  seed: number | string,
  tables: Tables,
): { readonly [Table in keyof Tables]: Prepared<Float32Array> } {
  const lengths = tables.map(({ length }) => length)
  const drawn = drawnTables(seed, lengths)
  return tables.map(({ name, length }, i) => {
    const found = learned?.(type, name, length)
    return found === undefined ? derived(drawn, (all) => all[i]) : () => found
  }) as { readonly [Table in keyof Tables]: Prepared<Float32Array> }
}

/** Refuses drawn tables beyond the bound; names the option that makes them so large. */
export function checkDrawn(option: string, given: number, numbers: number): PositionProblem | undefined {
  if (numbers <= MAX_DRAWN_NUMBERS) return undefined
  return refuse(
    option,
    `must keep the drawn tables within ${MAX_DRAWN_NUMBERS} numbers, not ${numbers}`,
    given,
  )
}

function* draw(seed: bigint, lengths: readonly number[]): Steps<DrawnTogether> {
  yield PAUSE // allocating so much memory may take long
  const generator = new TorchGenerator(seed)
  const tables = lengths.map((length) => largeFloat32Array(length))
  for (const table of tables) yield* fillNormal(generator, table)
  return tables
}

/** Most numbers that a thread keeps between requests: 32 MiB. */
const MAX_KEPT_NUMBERS = 2 ** 23
/** Most drawings that a thread keeps: of the smallest, the map's entry takes more memory than the numbers. */
const MAX_KEPT_DRAWINGS = 64

/** The latest drawings, the least recently used first. */
const kept = new Map<string, DrawnTogether>()

/**
 * Tables that are drawn where the thread does not keep them from an earlier request. They are read only: requests share
 * them. Drawing costs about 6 ns a number. Each caller reserves the whole memory, since each may be the last to hold it.
 *
 * @param key equal for equal tables
 */
export function* drawnOnce(
  key: string,
  numbers: number,
  draw: () => Steps<DrawnTogether>,
): Steps<DrawnTogether> {
  yield numbers * Float32Array.BYTES_PER_ELEMENT
  const tables = kept.get(key) ?? (yield* draw())
  if (numbers > MAX_KEPT_NUMBERS) return tables
  kept.delete(key)
  kept.set(key, tables)
  for (const oldest of kept.keys()) {
    const total = [...kept.values()].flat().reduce((sum, table) => sum + table.length, 0)
    if (total <= MAX_KEPT_NUMBERS && kept.size <= MAX_KEPT_DRAWINGS) break
    kept.delete(oldest)
  }
  return tables
}
