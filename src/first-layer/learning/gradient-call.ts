import type { ModelSpec } from '../embeddings/model.js'
import { InletError, quoted } from '../errors.js'
import { type FloatDtype, ITEM_BYTES } from '../tensors/named-tensor.js'

/** Gradients as they came: rows of C numbers, little-endian, at any address. */
export interface GradientRows {
  readonly bytes: Uint8Array
  readonly dtype: FloatDtype
}

/** Gradients of `input_embeddings` [B, T, C]: of token rows plus position rows. */
export interface EmbeddingGradients {
  readonly shape: readonly [batch: number, length: number]
  /** [B, T, C] */
  readonly gradients: GradientRows
  /** [B, T] */
  readonly inputIds: Int32Array
  /** [B, T]. Absent: `positionOffset` and on, broadcast over B. */
  readonly positionIds?: Int32Array | undefined
  readonly positionOffset?: number | undefined
  /** [B, T]: 0 adds nothing. */
  readonly attentionMask?: Int32Array | undefined
}

/** Gradients of rows themselves, made by the trainer's own backward. */
interface TableGradients {
  /** [N, C] for token ids [N]. */
  readonly tokens?: { readonly gradients: GradientRows; readonly ids: Int32Array } | undefined
  /** [M, C] for position ids [M]. */
  readonly positions?: { readonly gradients: GradientRows; readonly ids: Int32Array } | undefined
}

export type GradientCall = EmbeddingGradients | TableGradients

export const TOKEN_TABLE = 'wte.weight'
export const POSITION_TABLE = 'wpe.weight'
export type LearnableName = typeof TOKEN_TABLE | typeof POSITION_TABLE

/** Which rows of a table gradients belong to. */
export interface RowTarget {
  readonly table: LearnableName
  /** [N]: the row of each gradient; negative: it adds nothing. */
  readonly ids: Int32Array
  /** T and the first position, where position rows were broadcast over B. */
  readonly broadcast?: { readonly length: number; readonly offset: number } | undefined
}

/** Gradients [N, C] and the rows that they belong to. */
export interface GradientSource {
  readonly gradients: GradientRows
  readonly count: number
  /** C */
  readonly dim: number
  /** The field that brought them, and their place in it as a path: 7 → `gradients.1.3`. */
  readonly field: string
  placeOf(row: number): string
  /** Whether a gradient is not looked at, and adds nothing. */
  isHidden(row: number): boolean
  readonly targets: readonly RowTarget[]
}

/** Rows and width of a model's tables; `isLearned`: whether the optimizer has it. */
export type TableSizes = Readonly<
  Partial<Record<LearnableName, { readonly rows: number; readonly dim: number; readonly isLearned: boolean }>>
>

/**
 * Checks a call and splits it by table.
 *
 * @param tables that the model has
 * @throws InletError `invalid_request` for sizes that do not agree, `token_out_of_range`, `context_too_long`
 */
export function gradientSources(call: GradientCall, tables: TableSizes): readonly GradientSource[] {
  return 'shape' in call ? [ofEmbeddings(call, tables)] : ofTables(call, tables)
}

function ofEmbeddings(call: EmbeddingGradients, tables: TableSizes): GradientSource {
  const { gradients, inputIds, positionIds, positionOffset = 0, attentionMask, shape } = call
  const [batch, length] = shape
  const count = batch * length
  const tokens = tables[TOKEN_TABLE]
  if (tokens === undefined) throw unlearned('gradients', TOKEN_TABLE)
  if (count === 0) throw invalid('gradients', 'must have at least one row. Given: none')
  checkLength('input_ids', inputIds, count, '[B, T]')
  checkRows('gradients', gradients, count, tokens.dim, '[B, T, C]')
  const placeOf = (row: number) => `${Math.floor(row / length)}.${row % length}`
  checkIds('input_ids', inputIds, tokens.rows, 'token_out_of_range', placeOf)
  if (attentionMask !== undefined) checkLength('attention_mask', attentionMask, count, '[B, T]')
  const isHidden = (row: number) => attentionMask?.[row] === 0
  const visible = (ids: Int32Array) =>
    attentionMask === undefined ? ids : ids.map((id, row) => (isHidden(row) ? -1 : id))

  const targets: RowTarget[] = [{ table: TOKEN_TABLE, ids: visible(inputIds) }]
  const positions = tables[POSITION_TABLE]
  if (positions !== undefined && positionIds !== undefined) {
    checkLength('position_ids', positionIds, count, '[B, T]')
    checkIds('position_ids', positionIds, positions.rows, 'context_too_long', placeOf)
    targets.push({ table: POSITION_TABLE, ids: visible(positionIds) })
  } else if (positions !== undefined) {
    checkOffset(positionOffset, length, positions.rows)
    const ids = new Int32Array(count)
    for (let row = 0; row < count; row++) ids[row] = positionOffset + (row % length)
    const broadcast = { length, offset: positionOffset }
    targets.push({ table: POSITION_TABLE, ids: visible(ids), broadcast })
  }
  return {
    ...{ gradients, count, dim: tokens.dim, placeOf, isHidden, field: 'gradients' },
    targets: targets.filter(({ table }) => tables[table]?.isLearned),
  }
}

function ofTables({ tokens, positions }: TableGradients, tables: TableSizes): readonly GradientSource[] {
  const sources: GradientSource[] = []
  if (tokens !== undefined) sources.push(ofTable('token', TOKEN_TABLE, tokens, tables, 'token_out_of_range'))
  if (positions !== undefined)
    sources.push(ofTable('position', POSITION_TABLE, positions, tables, 'context_too_long'))
  if (sources.length > 0) return sources
  throw invalid('gradients', 'is needed, or `token_gradients`, or `position_gradients`. Given: none of them')
}

function ofTable(
  name: 'token' | 'position',
  table: LearnableName,
  { gradients, ids }: { readonly gradients: GradientRows; readonly ids: Int32Array },
  tables: TableSizes,
  code: 'token_out_of_range' | 'context_too_long',
): GradientSource {
  const field = `${name}_gradients`
  const size = tables[table]
  if (!size?.isLearned) throw unlearned(field, table)
  if (ids.length === 0) throw invalid(`${name}_ids`, 'must have at least one id. Given: none')
  checkRows(field, gradients, ids.length, size.dim, '[N, C]')
  checkIds(`${name}_ids`, ids, size.rows, code, String)
  return {
    ...{ gradients, count: ids.length, dim: size.dim, field, placeOf: String, isHidden: () => false },
    targets: [{ table, ids }],
  }
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

function checkLength(field: string, values: ArrayLike<number>, count: number, shape: string): void {
  if (values.length === count) return
  throw invalid(field, `must have ${count} elements, ${shape}. Given: ${values.length}`)
}

function checkRows(field: string, rows: GradientRows, count: number, dim: number, shape: string): void {
  const elements = rows.bytes.byteLength / ITEM_BYTES[rows.dtype]
  if (elements === count * dim) return
  throw invalid(field, `must have ${count} · ${dim} elements, ${shape}. Given: ${elements}`)
}

function unlearned(field: string, table: string): InletError {
  return invalid(
    field,
    `must not be sent: ${table} is not among the optimizer’s \`tables\`. Given: gradients`,
  )
}

function invalid(field: string, rule: string): InletError {
  return new InletError('invalid_request', `${quoted(field)} ${rule}`, field)
}

/**
 * Checks that the gradient of `input_embeddings` is that of token rows and position rows: a first layer that only
 * adds them.
 *
 * @throws InletError `unsupported_combination`, with what to send instead
 */
export function checkEmbeddingGradients({ id, architecture }: Pick<ModelSpec, 'id' | 'architecture'>): void {
  const { steps, positionIndex } = architecture
  const more = steps.filter((step) => step !== 'positions')
  if (more.length === 0 && positionIndex === undefined) return
  const why = more.length > 0 ? `${more.join(', ')} between rows and block` : 'positions that depend on pads'
  const message = `\`gradients\` must not be sent for ${id}, which has ${why}: send \`token_gradients\` and \`position_gradients\``
  throw new InletError('unsupported_combination', message, 'gradients')
}

/** @throws InletError `unsupported_combination` for tables of 16 bits */
export function checkLearnable({ id, dtype }: Pick<ModelSpec, 'id' | 'dtype'>): void {
  if (dtype === 'float32') return
  const message = `${id} must have float32 tables to learn: make a model of them in float32. Given: ${dtype}`
  throw new InletError('unsupported_combination', message, 'model')
}
