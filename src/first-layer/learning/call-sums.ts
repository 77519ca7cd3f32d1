import { InletError, quoted } from '../errors.js'
import { PAUSE, type Steps } from '../steps.js'
import { ITEM_BYTES } from '../tensors/named-tensor.js'
import type { GradientSource, LearnableName, RowTarget, TableSizes } from './gradient-call.js'
import { BroadcastSums, DenseSums, type GradientSums } from './gradient-sums.js'
import type { LearningMemory } from './learning-memory.js'
import type { RowSums } from './row-sums.js'

/** The sums of one call, by table, each made from zero. */
export type CallSums = ReadonlyMap<LearnableName, RowSums>

/** Which rows of a table learn; undefined: all of them. */
type LearnsOf = (table: LearnableName) => ((row: number) => boolean) | undefined

/**
 * Sums the gradients of one call by row.
 *
 * @param sizes of the tables that learn
 * @param learnsOf the others' gradients are looked at and not added
 * @throws InletError `not_finite` with the place; nothing is kept then
 */
export function* sumCall(
  memory: LearningMemory,
  sources: readonly GradientSource[],
  sizes: TableSizes,
  learnsOf: LearnsOf,
): Steps<CallSums> {
  const begun: GradientSums[] = []
  try {
    const sums = new Map<LearnableName, RowSums>()
    for (const source of sources) {
      const added = source.targets.map((target) => learningOnly(target, learnsOf(target.table)))
      const targets = added.map((target) => {
        const made = sumsFor(memory, sizes, target)
        begun.push(made)
        return made
      })
      // A sum of which a term is not finite is not finite: where all terms are added, their squares tell.
      const teller = added.find((target) => source.targets.includes(target))?.table
      yield* sumSource(memory, source, sizes, targets, teller === undefined)
      for (const [i, made] of targets.entries()) sums.set(added[i].table, yield* made.end())
      const squares = teller === undefined ? 0 : yield* sums.get(teller)!.squares()
      if (!Number.isFinite(squares)) yield* sumSource(memory, source, sizes, [], true)
    }
    begun.length = 0
    return sums
  } finally {
    for (const made of begun) made.discard()
  }
}

function sumsFor(memory: LearningMemory, sizes: TableSizes, target: RowTarget): GradientSums {
  const { rows, dim } = sizes[target.table]!
  const { ids, broadcast } = target
  if (broadcast === undefined) return new DenseSums(memory, rows, dim, ids)
  return new BroadcastSums(memory, rows, dim, ids, broadcast.length, broadcast.offset)
}

/** The target without the ids of rows that do not learn. */
function learningOnly(target: RowTarget, learns: ((row: number) => boolean) | undefined): RowTarget {
  const { ids } = target
  if (learns === undefined || ids.every((id) => id < 0 || learns(id))) return target
  return { ...target, ids: ids.map((id) => (id >= 0 && learns(id) ? id : -1)) }
}

/** Goes through the gradients tile by tile. @param looks whether each is looked at: whether it is finite */
function* sumSource(
  memory: LearningMemory,
  source: GradientSource,
  sizes: TableSizes,
  targets: readonly GradientSums[],
  looks: boolean,
): Steps<void> {
  const table = source.targets[0]?.table ?? 'wte.weight'
  const { dim } = sizes[table]!
  const most = memory.tileRows(dim)
  for (let first = 0; first < source.count; ) {
    if (first > 0) yield PAUSE
    const ends = targets.map((target) => target.tileEnd(first))
    const count = Math.min(most, source.count - first, ...ends.map((end) => end - first))
    bringTile(memory, source, first, count, dim)
    if (looks) checkFinite(memory, source, first, count, dim)
    for (const target of targets) yield* target.add(first, count, memory.tile)
    first += count
  }
}

/** Copies gradients to the tile, in float32. */
function bringTile(
  memory: LearningMemory,
  source: GradientSource,
  first: number,
  count: number,
  dim: number,
): void {
  const { kernels, tile, narrowTile } = memory
  const { bytes, dtype } = source.gradients
  const rowBytes = dim * ITEM_BYTES[dtype]
  const part = bytes.subarray(first * rowBytes, (first + count) * rowBytes)
  memory.copyIn(dtype === 'float32' ? tile : narrowTile, part)
  if (dtype === 'float16') kernels.widenFloat16(tile, narrowTile, count * dim)
  else if (dtype === 'bfloat16') kernels.widenBfloat16(tile, narrowTile, count * dim)
}

/** Looks whether the tile's gradients are finite. @throws InletError `not_finite` */
function checkFinite(
  { kernels, memory, tile }: LearningMemory,
  source: GradientSource,
  first: number,
  count: number,
  dim: number,
): void {
  for (let row = 0; row < count; row++) {
    const left = (count - row) * dim
    const found = kernels.firstNonFinite(tile + row * dim * 4, left)
    if (found === left) return
    row += Math.floor(found / dim)
    if (source.isHidden(first + row)) continue
    const path = `${source.field}.${source.placeOf(first + row)}.${found % dim}`
    const value = memory.float32(tile + (row * dim + (found % dim)) * 4, 1)[0]
    throw new InletError('not_finite', `${quoted(path)} must be finite. Given: ${value}`, path)
  }
}
