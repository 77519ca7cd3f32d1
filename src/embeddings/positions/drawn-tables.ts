import { TorchGenerator } from '../../random/generator.js'
import { fillNormalInSlices } from '../../random/normal-slices.js'
import { type PositionProblem, refuse } from './scheme.js'

/** Numbers that one request may have drawn: 64 MiB. */
export const MAX_DRAWN_NUMBERS = 2 ** 24

/** Numbers kept between requests, so that the same tables are not drawn again for each: 32 MiB. */
const MAX_KEPT_NUMBERS = 2 ** 23

const kept = new Map<string, readonly Float32Array[]>()

/** Tables that are drawn when they are first asked for. */
export interface DrawnTables {
  /** The tables, drawn at once where they are not there yet. */
  (): readonly Float32Array[]
  /** Draws them in slices: other work of the event loop runs in between. */
  prepare(): Promise<void>
}

/**
 * Tables of standard normals from a fresh `torch.manual_seed(seed)`, one after the other, drawn when they are
 * first asked for: `drawnTables(123, [8, 4])()` is `torch.manual_seed(123); torch.randn(8); torch.randn(4)`. The
 * shape does not matter: `nn.Embedding(4, 2)` draws the same numbers as `torch.randn(8)`.
 *
 * The tables are shared with later calls: read only. Drawing costs about 6 ns a number.
 */
export function drawnTables(seed: number | string, lengths: readonly number[]): DrawnTables {
  const key = `${BigInt(seed)}:${lengths.join(',')}`
  let tables: readonly Float32Array[] | undefined
  const now = () => {
    tables ??= keep(key, kept.get(key) ?? draw(BigInt(seed), lengths))
    return tables
  }
  const prepare = async () => {
    tables ??= keep(key, kept.get(key) ?? (await drawInSlices(BigInt(seed), lengths)))
  }
  return Object.assign(now, { prepare })
}

/** Refuses tables beyond the bound, by the option that makes them large. */
export function checkDrawn(option: string, given: number, numbers: number): PositionProblem | undefined {
  if (numbers <= MAX_DRAWN_NUMBERS) return undefined
  return refuse(
    option,
    `must keep the drawn tables within ${MAX_DRAWN_NUMBERS} numbers, not ${numbers}`,
    given,
  )
}

/** Keeps tables for later requests, as far as there is room, and gives them back. */
function keep(key: string, tables: readonly Float32Array[]): readonly Float32Array[] {
  // Taken out and put in again: a Map's order is then that of use.
  kept.delete(key)
  if (totalLength(tables) <= MAX_KEPT_NUMBERS) kept.set(key, tables)
  forgetOldest()
  return tables
}

function draw(seed: bigint, lengths: readonly number[]): readonly Float32Array[] {
  const generator = new TorchGenerator(seed)
  return lengths.map((length) => {
    const table = new Float32Array(length)
    generator.normal(table)
    return table
  })
}

async function drawInSlices(seed: bigint, lengths: readonly number[]): Promise<readonly Float32Array[]> {
  const generator = new TorchGenerator(seed)
  const tables = lengths.map((length) => new Float32Array(length))
  for (const table of tables) {
    for await (const _done of fillNormalInSlices(generator, table)) {
      // The slices do all there is to do.
    }
  }
  return tables
}

function forgetOldest(): void {
  let numbers = 0
  for (const tables of kept.values()) numbers += totalLength(tables)
  for (const [key, tables] of kept) {
    if (numbers <= MAX_KEPT_NUMBERS) return
    numbers -= totalLength(tables)
    kept.delete(key)
  }
}

function totalLength(tables: readonly Float32Array[]): number {
  return tables.reduce((sum, table) => sum + table.length, 0)
}
