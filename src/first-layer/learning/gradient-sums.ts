import { InletError, quoted } from '../errors.js'
import { widened } from '../tensors/sixteen-bits.js'
import { sumOverBatch } from './cascade.js'
import type { GradientRows, GradientSource, LearnableName, RowTarget } from './gradient-call.js'
import { RowSums } from './row-sums.js'

/** The sums of one call, by table, each made from zero. */
export type CallSums = ReadonlyMap<LearnableName, RowSums>

/**
 * Sums the gradients of one call by row.
 *
 * @param learns whether a row of a table learns: the others' gradients are looked at and not added
 * @throws InletError `not_finite` with the place
 */
export function sumCall(
  sources: readonly GradientSource[],
  learns: (table: LearnableName, row: number) => boolean,
): CallSums {
  const sums = new Map<LearnableName, RowSums>()
  for (const source of sources) {
    const { dim, count, targets } = source
    const numbers = copied(source.gradients)
    for (let row = 0; row < count; row++)
      if (source.isHidden(row)) numbers.fill(0, row * dim, (row + 1) * dim)
    checkFinite(numbers, source)
    for (const { table, ids, broadcast } of targets) {
      const learning = ids.map((id) => (id >= 0 && learns(table, id) ? id : -1))
      const target = { table, ids: learning, broadcast }
      sums.set(table, broadcast === undefined ? dense(numbers, target, dim) : overBatch(numbers, target, dim))
    }
  }
  return sums
}

/** `nn.Embedding`'s dense backward: each row from zero, contributions one after the other. */
function dense(numbers: Float32Array, { ids }: RowTarget, dim: number): RowSums {
  const sums = new RowSums(dim)
  sums.reserve(rowsOf(ids))
  for (let i = 0; i < ids.length; i++) if (ids[i] >= 0) sums.add(ids[i], numbers, i * dim)
  return sums
}

/** The backward of position rows that were broadcast over B: PyTorch's sum of [B, T, C] over its first axis. */
function overBatch(numbers: Float32Array, { ids, broadcast }: RowTarget, dim: number): RowSums {
  const { length, offset } = broadcast!
  const total = sumOverBatch(numbers, ids.length / length, length * dim)
  const sums = new RowSums(dim)
  const rows = rowsOf(ids)
  sums.reserve(rows)
  for (const row of rows) sums.add(row, total, (row - offset) * dim)
  return sums
}

function rowsOf(ids: Int32Array): ReadonlySet<number> {
  const rows = new Set(ids)
  rows.delete(-1)
  return rows
}

/** A copy in float32: the bytes may begin anywhere. */
function copied({ bytes, dtype }: GradientRows): Float32Array {
  const { buffer } = new Uint8Array(bytes)
  return widened(dtype === 'float32' ? new Float32Array(buffer) : new Uint16Array(buffer), dtype)
}

/** @throws InletError `not_finite` */
function checkFinite(numbers: Float32Array, { dim, field, placeOf }: GradientSource): void {
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isFinite(numbers[i])) continue
    const path = `${field}.${placeOf(Math.floor(i / dim))}.${i % dim}`
    throw new InletError('not_finite', `${quoted(path)} must be finite. Given: ${numbers[i]}`, path)
  }
}
