import { InletError, invalidField, quoted } from '../errors.js'
import { ITEM_BYTES } from '../tensors/named-tensor.js'
import { widened } from '../tensors/sixteen-bits.js'
import { sumOverBatch } from './cascade.js'
import {
  type EmbeddingGradients,
  type GradientCall,
  type GradientRows,
  type LearnableName,
  POSITION_TABLE,
  TOKEN_TABLE,
} from './gradient-call.js'
import { RowSums } from './row-sums.js'
import { invalid } from './tensor-file.js'

/** The sums of one call, by table, each made from zero. */
type CallSums = Map<LearnableName, RowSums>

/** A table of the model, which the optimizer may move. */
export interface TableRows {
  readonly rows: number
  readonly dim: number
  /** Whether a row learns: the others' gradients are looked at and not added. Absent: the optimizer does not have the table. */
  learns?(row: number): boolean
}

export type ModelTables = Readonly<Partial<Record<LearnableName, TableRows>>>

/**
 * Checks a call, and sums its gradients by row.
 *
 * @param tables that the model has
 * @throws InletError `invalid_request` for sizes that do not agree, `token_out_of_range`, `context_too_long`, `not_finite` with
 *   the place
 */
export function sumCall(call: GradientCall, tables: ModelTables): CallSums {
  if ('gradients' in call) return sumEmbeddings(call, tables)
  const sums: CallSums = new Map()
  for (const name of ['token', 'position'] as const) {
    const [gradients, ids] = [call[`${name}_gradients`], call[`${name}_ids`]]
    const table = name === 'token' ? TOKEN_TABLE : POSITION_TABLE
    if (gradients && ids) sums.set(table, sumRows(name, gradients, ids, tables))
    else if (gradients || ids)
      throw invalidField(`${name}_${gradients ? 'ids' : 'gradients'}`, 'is needed', undefined)
  }
  if (sums.size > 0) return sums
  throw invalid('gradients', 'is needed, or `token_gradients`, or `position_gradients`. Given: none of them')
}

function sumEmbeddings(call: EmbeddingGradients, tables: ModelTables): CallSums {
  const { input_ids, position_ids, position_offset = 0, attention_mask } = call
  const [batch, length] = call.shape
  const count = batch * length
  const { [TOKEN_TABLE]: tokens, [POSITION_TABLE]: positions } = tables
  if (tokens === undefined) throw unlearned('gradients', TOKEN_TABLE)
  if (count === 0) throw invalid('gradients', 'must have at least one row. Given: none')
  const { dim } = tokens
  const placeOf = (row: number) => `${Math.floor(row / length)}.${row % length}`
  for (const [name, values] of Object.entries({ input_ids, position_ids, attention_mask }))
    if (values !== undefined && values.length !== count)
      throw invalid(name, `must have ${count} elements, [B, T]. Given: ${values.length}`)
  const numbers = floats('gradients', call.gradients, [count, dim])
  checkIds('input_ids', input_ids, tokens.rows, 'token_out_of_range', placeOf)
  if (positions !== undefined && position_ids !== undefined)
    checkIds('position_ids', position_ids, positions.rows, 'context_too_long', placeOf)
  else if (positions !== undefined) checkOffset(position_offset, length, positions.rows)
  const isHidden = (row: number) => attention_mask?.[row] === 0
  for (let row = 0; row < count; row++) if (isHidden(row)) numbers.fill(0, row * dim, (row + 1) * dim)
  checkFinite('gradients', numbers, dim, placeOf)

  const sums: CallSums = new Map()
  const learning = (ids: Int32Array, table: TableRows) =>
    ids.map((id, row) => (isHidden(row) || !table.learns!(id) ? -1 : id))
  if (tokens.learns !== undefined) sums.set(TOKEN_TABLE, dense(numbers, learning(input_ids, tokens), dim))
  if (positions?.learns === undefined) return sums
  const ids = position_ids ?? Int32Array.from({ length: count }, (_, row) => position_offset + (row % length))
  const rows = learning(ids, positions)
  const added = position_ids
    ? dense(numbers, rows, dim)
    : broadcast(sumOverBatch(numbers, batch, length * dim), rows, dim, position_offset)
  return sums.set(POSITION_TABLE, added)
}

function sumRows(
  name: 'token' | 'position',
  gradients: GradientRows,
  ids: Int32Array,
  tables: ModelTables,
): RowSums {
  const [field, names] = [`${name}_gradients`, `${name}_ids`]
  const isToken = name === 'token'
  const tableName = isToken ? TOKEN_TABLE : POSITION_TABLE
  const table = tables[tableName]
  if (table?.learns === undefined) throw unlearned(field, tableName)
  if (ids.length === 0) throw invalid(names, 'must have at least one id. Given: none')
  const numbers = floats(field, gradients, [ids.length, table.dim])
  checkIds(names, ids, table.rows, isToken ? 'token_out_of_range' : 'context_too_long', String)
  checkFinite(field, numbers, table.dim, String)
  return dense(
    numbers,
    ids.map((id) => (table.learns!(id) ? id : -1)),
    table.dim,
  )
}

/** `nn.Embedding`'s dense backward: each row from zero, contributions one after the other. */
function dense(numbers: Float32Array, ids: Int32Array, dim: number): RowSums {
  const sums = new RowSums(dim)
  sums.reserve(rowsOf(ids))
  for (let i = 0; i < ids.length; i++) if (ids[i] >= 0) sums.add(ids[i], numbers, i * dim)
  return sums
}

/** The backward of position rows that were broadcast over B. @param total PyTorch's sum of [B, T, C] over its first axis */
function broadcast(total: Float32Array, ids: Int32Array, dim: number, offset: number): RowSums {
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
function floats(field: string, { bytes, dtype }: GradientRows, [count, dim]: [number, number]): Float32Array {
  const elements = bytes.byteLength / ITEM_BYTES[dtype]
  if (elements !== count * dim)
    throw invalid(field, `must have ${count} · ${dim} elements. Given: ${elements}`)
  const { buffer } = new Uint8Array(bytes)
  return widened(dtype === 'float32' ? new Float32Array(buffer) : new Uint16Array(buffer), dtype)
}

function checkIds(
  field: string,
  ids: Int32Array,
  rows: number,
  code: 'token_out_of_range' | 'context_too_long',
  placeOf: (row: number) => string,
): void {
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] >= 0 && ids[i] < rows) continue
    const path = `${field}.${placeOf(i)}`
    throw new InletError(code, `${quoted(path)} must be from 0 to ${rows - 1}. Given: ${ids[i]}`, path)
  }
}

function checkOffset(offset: number, length: number, rows: number): void {
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw invalid('position_offset', `must be an integer from 0. Given: ${offset}`)
  if (offset + length <= rows) return
  const message = `\`position_offset\` + T must be at most ${rows}, the model’s positions. Given: ${offset} + ${length}`
  throw new InletError('context_too_long', message, 'position_offset')
}

/** @throws InletError `not_finite` */
function checkFinite(
  field: string,
  numbers: Float32Array,
  dim: number,
  placeOf: (row: number) => string,
): void {
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isFinite(numbers[i])) continue
    const path = `${field}.${placeOf(Math.floor(i / dim))}.${i % dim}`
    throw new InletError('not_finite', `${quoted(path)} must be finite. Given: ${numbers[i]}`, path)
  }
}

function unlearned(field: string, table: string): InletError {
  const rule = `must not be sent: ${table} is not among the optimizer’s \`tables\`. Given: gradients`
  return invalid(field, rule)
}
