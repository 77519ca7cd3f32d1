import type { AskedDtypes, FloatDtype, NamedTensor } from '../tensors/named-tensor.js'
import { rounded } from '../tensors/sixteen-bits.js'
import type { RowBatch } from '../windows/batch.js'
import type { Architecture, PositionIndex } from './architectures/registry.js'
import { computedTensor } from './computed-tensor.js'
import type { Model } from './model.js'
import { positionIndices, type Table, tableOver } from './op.js'
import { type ComputedTensor, type PositionTensor, preparedTensor } from './positions/scheme.js'
import { type PositionRows, type RowSource, RUN_ELEMENTS, rowTensor } from './row-tensor.js'

/** Rows of a stream that take less memory than this are not reserved: 64 KiB. */
const LIGHT_BYTES = 1 << 16
/** Elements of computed rows that one stream keeps: 16 MiB, GPT-2's whole 1024 × 768 table five times. */
const KEPT_ELEMENTS = 1 << 22

/**
 * Makes a scheme's declared tensor one that can be served: looked up if its rows are rows of a table, else
 * computed.
 */
export function positionTensor(model: Model, tensor: PositionTensor, asked: AskedDtypes): NamedTensor {
  const source = tableOrComputed(model, tensor)
  if ('fill' in source) return computedTensor(source, asked, model.workspace)
  const { table, firstRow } = source
  return rowTensor(
    {
      ...{ name: tensor.name, shape: tensor.shape, dtype: asked.dtype, table },
      fillIds(ids, first) {
        for (let i = 0; i < ids.length; i++) ids[i] = firstRow + first + i
      },
    },
    model.workspace,
  )
}

/** What decides which of a scheme's rows a slot gets. */
export interface SlotFacts {
  readonly batch: RowBatch
  /** Whether some slots may be pads. */
  readonly canPad: boolean
  /** Writes places counted in their segments, of packed windows. Absent: they are counted in windows. */
  readonly fillPlaces?: ((out: Int32Array, first: number) => void) | undefined
}

/** Places of slots among the rows [T, C]; −1: a pad, which takes none. */
type Places = (first: number, count: number) => Int32Array

/**
 * An additive scheme's rows [T, C], in the form in which a row tensor adds them to token rows.
 *
 * @param dtype to which rows are rounded between steps
 */
export function positionRows(
  model: Model,
  tensor: PositionTensor,
  { positionIndex }: Architecture,
  facts: SlotFacts,
  dtype: FloatDtype = 'float32',
): Pick<RowSource, 'positions' | 'drawn' | 'workBytes'> {
  const source = tableOrComputed(model, tensor)
  const [contextLength, dim] = tensor.shape
  const places = placesOf(facts, contextLength - 1, positionIndex)
  if (!('fill' in source)) {
    const { table, firstRow } = source
    return { positions: () => rowsOfTable(table, firstRow, contextLength, places, positionIndex?.padRow) }
  }
  const bytes = keptRowBytes(contextLength, dim)
  const vector = positionIndex?.addsVector
    ? (model.values('vector.weight') ?? new Float32Array(dim))
    : undefined
  const fill = (out: Float32Array, start: number) => {
    source.fill(out, start)
    if (vector === undefined) return
    for (let i = 0; i < out.length; i++) out[i] = rounded(out[i], dtype) + vector[i % dim]
  }
  return {
    positions: () => computedRows(fill, contextLength, dim, places, vector),
    drawn: source.drawn && [source.drawn],
    workBytes: bytes > LIGHT_BYTES ? bytes : undefined,
  }
}

/**
 * The places of slots where they are not those in their windows: counted in segments, or without pads, which an
 * architecture knows by the mask or by the token's id. Pads by id 1: [5, 1, 7] → [0, −1, 1]. Padding behind the longest
 * segment gets the `last` row.
 *
 * Sources: transformers 5.23, `OPTLearnedPositionalEmbedding.forward` (mask), `create_position_ids_from_input_ids` of
 * RoBERTa and MPNet (ids).
 */
function placesOf(
  { batch, canPad, fillPlaces }: SlotFacts,
  last: number,
  index?: PositionIndex,
): Places | undefined {
  const { pads = 'none', padId } = index ?? {}
  if (pads === 'none' || (pads === 'mask' && !canPad))
    return fillPlaces && ((first, count) => intsOf(fillPlaces, first, count).map((at) => Math.min(at, last)))
  const { contextLength } = batch
  return (first, count) => {
    const begin = first - (first % contextLength) // a window's slots are counted from its first one on
    const length = first + count - begin
    const slots = new Int32Array(length)
    batch.fill(pads === 'mask' ? 'attention_mask' : 'input_ids', slots, begin)
    const pad = pads === 'mask' ? 0 : padId
    const inSegments = fillPlaces && intsOf(fillPlaces, begin, length)
    let place = 0
    for (let i = 0; i < length; i++) {
      if ((inSegments === undefined ? (begin + i) % contextLength : inSegments[i]) === 0) place = 0
      slots[i] = slots[i] === pad ? -1 : Math.min(place++, last)
    }
    return slots.subarray(first - begin)
  }
}

/** One int32 for each row. */
export function intsOf(
  fill: (out: Int32Array, first: number) => void,
  first: number,
  count: number,
): Int32Array {
  const out = new Int32Array(count)
  fill(out, first)
  return out
}

/** The model's table with a tensor's rows; or how they are computed, or copied from a table that is drawn for the request. */
function tableOrComputed(
  model: Model,
  tensor: PositionTensor,
): ComputedTensor | { readonly table: Table; readonly firstRow: number } {
  if (tensor.table === undefined) return tensor
  const { key, firstRow } = tensor.table
  const table = model.table(key)
  if (table !== undefined) return { table, firstRow }
  const { name, shape } = tensor
  return preparedTensor(name, shape, model.drawn(key), firstRow * shape[1])
}

export function rowsOfTable(
  positions: Table,
  positionStart: number,
  contextLength: number,
  places?: Places,
  padRow = 0,
): PositionRows {
  return {
    prepare(firstRow, count) {
      const rowIds = places?.(firstRow, count).map((place) => (place < 0 ? padRow : positionStart + place))
      return { positions, positionStart, contextLength, firstRow, rowIds }
    },
  }
}

/** Bytes that the computed rows [T, C] of one stream take: all, or those of a run. */
export function keptRowBytes(contextLength: number, dim: number): number {
  const all = contextLength * dim
  return 4 * (all <= KEPT_ELEMENTS ? all : Math.max(RUN_ELEMENTS, dim))
}

/**
 * Computed rows: `fill(out, start)` writes the row-major elements of [T, C] from `start` on. Where [T, C] is small the rows
 * are kept for the next windows, otherwise those of each range are computed again. Row 0 of the table is that of pads.
 */
export function computedRows(
  fill: (out: Float32Array, start: number) => void,
  contextLength: number,
  dim: number,
  places?: Places,
  padRow?: Float32Array,
): PositionRows {
  const keepsAll = contextLength * dim <= KEPT_ELEMENTS
  let values = new Float32Array(0)
  let filled = 0 // rows of `values`, without row 0
  let positions: Table | undefined

  /** A new tensor for more rows, or for others: a backend may have copied those of the old one. */
  function tableOf(rows: number): Table {
    positions?.tensor.dispose()
    positions = tableOver(values.subarray(0, (1 + rows) * dim), 'float32', dim)
    return positions
  }
  function reserve(rows: number): void {
    if (values.length >= (1 + rows) * dim) return
    values = new Float32Array((1 + rows) * dim)
    padRow?.forEach((value, c) => {
      values[c] += value
    })
  }

  return {
    areComputed: true,
    prepare(firstRow, count) {
      const range = { positionStart: 1, contextLength, firstRow }
      const given = places?.(firstRow, count)
      if (keepsAll) {
        reserve(contextLength)
        const end = given === undefined ? (firstRow % contextLength) + count : 1 + Math.max(...given)
        const needed = Math.min(end, contextLength)
        const rowIds = given?.map((place) => 1 + place)
        if (positions !== undefined && needed <= filled) return { ...range, positions, rowIds }
        fill(values.subarray((1 + filled) * dim, (1 + needed) * dim), filled * dim)
        filled = needed
        return { ...range, positions: tableOf(filled), rowIds }
      }
      reserve(count)
      const each = given ?? positionIndices(count, { ...range, positionStart: 0 })
      for (let i = 0, end = 0; i < count; i = end) {
        while (++end < count && each[i] >= 0 && each[end] === each[end - 1] + 1) {}
        if (each[i] >= 0) fill(values.subarray((1 + i) * dim, (1 + end) * dim), each[i] * dim)
      }
      return { ...range, positions: tableOf(count), rowIds: each.map((place, i) => (place < 0 ? 0 : 1 + i)) }
    },
    dispose: () => positions?.tensor.dispose(),
  }
}
