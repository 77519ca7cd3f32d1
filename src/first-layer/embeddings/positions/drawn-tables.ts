import { largeFloat32Array } from '../../memory.js'
import { TorchGenerator } from '../../random/generator.js'
import { fillNormal } from '../../random/normal-slices.js'
import { PAUSE, type Steps } from '../../steps.js'
import { derived, madeAtOnce, madeInSteps, type Prepared } from './prepared.js'
import { type PositionProblem, type PositionRequest, refuse } from './scheme.js'

/** Numbers that one request may have drawn: 64 MiB. */
export const MAX_DRAWN_NUMBERS = 2 ** 24

/** Up to so many numbers are drawn in one step: a tenth of a millisecond of work. */
const FEW = 2 ** 14

/**
 * Tables of standard normals from a fresh `torch.manual_seed(seed)`, one after the other: `drawnTables(123, [8, 4])()`
 * is `torch.manual_seed(123); torch.randn(8); torch.randn(4)`. The shape does not matter: `nn.Embedding(4, 2)` draws
 * the same numbers as `torch.randn(8)`.
 *
 * Later calls share the tables: they are read only. Drawing costs about 6 ns a number. Each caller reserves the
 * whole memory of large tables, since each may be the last one to hold them.
 */
export function drawnTables(seed: number | string, lengths: readonly number[]): Prepared<DrawnTogether> {
  const wide = BigInt(seed)
  const key = `${wide}:${lengths.join(',')}`
  const numbers = lengths.reduce((sum, length) => sum + length, 0)
  if (numbers <= FEW) return madeAtOnce(() => keptTables(key) ?? keep(key, draw(wide, lengths)))
  return madeInSteps(function* () {
    yield numbers * Float32Array.BYTES_PER_ELEMENT
    return keptTables(key) ?? keep(key, yield* drawShared(key, () => drawInSlices(wide, lengths)))
  })
}

/** A table that a scheme has learned: its name, and its numbers. */
interface LearnedTable {
  readonly name: string
  readonly length: number
}

/** A scheme's learned tables: the model's where it has them, the others drawn from `seed`, all in one drawing. */
export function learnedTables(
  type: string,
  { learned }: Pick<PositionRequest, 'learned'>,
  seed: number | string,
  tables: readonly LearnedTable[],
): Prepared<DrawnTogether> {
  const found = tables.map(({ name, length }) => learned?.(type, name, length))
  if (found.every((each) => each !== undefined)) return madeAtOnce(() => found)
  const drawn = drawnTables(
    seed,
    tables.map(({ length }) => length),
  )
  if (found.every((each) => each === undefined)) return drawn
  return derived(drawn, (all) => all.map((each, i) => found[i] ?? each))
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

function keep(key: string, tables: DrawnTogether): DrawnTogether {
  keepTables(key, tables)
  return tables
}

function draw(seed: bigint, lengths: readonly number[]): DrawnTogether {
  const generator = new TorchGenerator(seed)
  return lengths.map((length) => {
    const table = new Float32Array(length)
    generator.normal(table)
    return table
  })
}

function* drawInSlices(seed: bigint, lengths: readonly number[]): Steps<DrawnTogether> {
  yield PAUSE // allocating so much memory may take long
  const generator = new TorchGenerator(seed)
  const tables = lengths.map((length) => largeFloat32Array(length))
  for (const table of tables) yield* fillNormal(generator, table)
  return tables
}

/** Tables that were drawn together, one after the other from one stream. */
type DrawnTogether = readonly Float32Array[]

/** Most numbers that a thread keeps between requests: 32 MiB. */
const MAX_NUMBERS = 2 ** 23
/** Most drawings that a thread keeps: of the smallest, the map's entry takes more memory than the numbers. */
const MAX_DRAWINGS = 64

/** The latest drawings, the least recently used first. */
const kept = new Map<string, DrawnTogether>()
let numbers = 0

/** The tables kept under a key; marks them as the most recently used. */
export function keptTables(key: string): DrawnTogether | undefined {
  const tables = kept.get(key)
  if (tables === undefined) return undefined
  kept.delete(key)
  kept.set(key, tables)
  return tables
}

/** Keeps tables for later requests; drops the least recently used ones beyond the limits. */
export function keepTables(key: string, tables: DrawnTogether): void {
  if (kept.has(key) || numbersIn(tables) > MAX_NUMBERS) return
  kept.set(key, tables)
  numbers += numbersIn(tables)
  for (const [oldest, old] of kept) {
    if (numbers <= MAX_NUMBERS && kept.size <= MAX_DRAWINGS) return
    kept.delete(oldest)
    numbers -= numbersIn(old)
  }
}

function numbersIn(tables: DrawnTogether): number {
  return tables.reduce((sum, table) => sum + table.length, 0)
}

/** A drawing in progress, which any of its callers can continue. */
interface Drawing {
  readonly steps: Steps<DrawnTogether>
  callers: number
  tables: DrawnTogether | undefined
}

const inProgress = new Map<string, Drawing>()

/**
 * Draws tables once for all callers that need the same ones at that time. Each caller continues the one drawing
 * between its own pauses, so the drawing continues as long as one caller remains; it is dropped with the last one.
 *
 * @param draw only pauses: each caller reserves the memory itself
 */
export function* drawShared(key: string, draw: () => Steps<DrawnTogether>): Steps<DrawnTogether> {
  const drawing = inProgress.get(key) ?? { steps: draw(), callers: 0, tables: undefined }
  inProgress.set(key, drawing)
  drawing.callers++
  try {
    while (drawing.tables === undefined) {
      const { done, value } = drawing.steps.next()
      if (!done) yield value
      else if (value !== undefined) drawing.tables = value
      else throw new Error('The drawing has failed for another caller.')
    }
    return drawing.tables
  } finally {
    drawing.callers--
    const isOver = drawing.tables !== undefined || drawing.callers === 0
    if (isOver && inProgress.get(key) === drawing) inProgress.delete(key)
  }
}
