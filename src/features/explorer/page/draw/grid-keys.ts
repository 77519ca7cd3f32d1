/** A cell of a grid. */
export interface Cell {
  readonly row: number
  readonly column: number
}

const STEP = 8

/**
 * Where a key leads from a cell, as in the grid pattern of WAI-ARIA: arrows, Home and End in the row, with Control in
 * the whole grid, PageUp and PageDown eight rows. Undefined for any other key.
 */
export function cellAfter(
  { key, ctrlKey }: { readonly key: string; readonly ctrlKey: boolean },
  { row, column }: Cell,
  rows: number,
  columns: number,
): Cell | undefined {
  const to = (nextRow: number, nextColumn: number): Cell => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  })
  if (key === 'ArrowLeft') return to(row, column - 1)
  if (key === 'ArrowRight') return to(row, column + 1)
  if (key === 'ArrowUp') return to(row - 1, column)
  if (key === 'ArrowDown') return to(row + 1, column)
  if (key === 'Home') return ctrlKey ? to(0, 0) : to(row, 0)
  if (key === 'End') return ctrlKey ? to(rows, columns) : to(row, columns)
  if (key === 'PageUp') return to(row - STEP, column)
  if (key === 'PageDown') return to(row + STEP, column)
  return undefined
}
