import type { Architecture, PositionIndex } from './architectures/architecture.js'
import { addRows } from './architectures/row-steps.js'
import type { Model } from './model.js'
import { lookUp } from './op.js'
import type { RowFacts } from './row-facts.js'
import type { LayerWork } from './row-tensor.js'

/**
 * The addition of rows of `wpe.weight` where pads take no position (OPT, RoBERTa, MPNet): `undefined` where no slot can
 * be a pad, for then the rows of all windows are the same.
 */
export function indexedPositions(
  model: Model,
  { positionIndex }: Architecture,
  facts: RowFacts,
): LayerWork | undefined {
  const table = model.table('wpe.weight')
  if (table === undefined || positionIndex === undefined) return undefined
  const { pads } = positionIndex
  if (pads === 'none' || (pads === 'mask' && !facts.canPad)) return undefined
  return (rows, first, count) => {
    const added = model.workspace.addends.subarray(0, rows.length)
    lookUp(added, table, positionRowIds(positionIndex, facts, first, count))
    addRows(rows, added)
  }
}

/**
 * Rows of `wpe.weight` for the slots `first … first + count − 1` of the flattened [B, T]. With `base` 2, `padRow` 1 and
 * pads by id 1: ids [5, 1, 7] → [2, 1, 3].
 *
 * Sources: transformers 5.23, `OPTLearnedPositionalEmbedding.forward` (mask), `create_position_ids_from_input_ids` of
 * RoBERTa and MPNet (ids).
 */
function positionRowIds(
  { base, pads, padRow = 0, padId }: PositionIndex,
  facts: Omit<RowFacts, 'canPad' | 'fillTokenTypeIds'>,
  first: number,
  count: number,
): Int32Array {
  const { contextLength, positionOffset, fillPlaces } = facts
  const begin = first - (first % contextLength) // positions are counted from the window's first slot on
  const slots = new Int32Array(first + count - begin)
  if (pads === 'mask') facts.fillAttentionMask(slots, begin)
  else facts.fillInputIds(slots, begin)
  const isPad = pads === 'mask' ? (value: number) => value === 0 : (value: number) => value === padId
  const places = fillPlaces && new Int32Array(slots.length)
  if (places !== undefined) fillPlaces?.(places, begin)
  let position = 0
  for (let i = 0; i < slots.length; i++) {
    const place = places === undefined ? (begin + i) % contextLength : places[i]
    if (place === 0) position = positionOffset
    slots[i] = isPad(slots[i]!) ? padRow : base + position++
  }
  return slots.subarray(first - begin)
}
