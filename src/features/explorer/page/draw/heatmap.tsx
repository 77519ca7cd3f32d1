import { useEffect, useId, useRef } from 'preact/hooks'
import { pixelsOf } from './colour-table.js'
import { digitsOf } from './digits.js'
import { type Cell, cellAfter } from './grid-keys.js'
import { say } from './say.js'
import { TableView } from './table-view.js'
import { theme } from './theme.js'

/** Columns whose numbers are written into their cells. */
const FEW = 4

interface Props {
  readonly name: string
  /** Name of the values: heads the table that shows the same. */
  readonly values: ArrayLike<number>
  readonly rows: number
  readonly columns: number
  /** The value of the last colour. */
  readonly limit: number
  readonly rowName: (row: number) => string
  /** Name of a column: channel, key, distance. */
  readonly columnName?: string
  readonly cell?: Cell | undefined
  readonly onCell?: (cell: Cell) => void
  /** The value of the middle colour. Default: 0. */
  readonly centre?: number
  /** Rows as squares: for matrices. */
  readonly square?: boolean
  readonly label?: boolean
}

/**
 * Numbers as colours: a canvas of one pixel a number, and over it the one cell that is focused, which a keyboard moves
 * and a screen reader reads. "As a table" shows the same numbers as text.
 */
export function Heatmap(props: Props) {
  const {
    name,
    values,
    rows,
    columns,
    limit,
    centre = 0,
    rowName,
    columnName = 'channel',
    cell,
    onCell,
  } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const id = useId()
  const colours = theme.value
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    context?.putImageData(new ImageData(pixelsOf(values, limit, colours, centre), columns, rows), 0, 0)
  }, [values, limit, colours, centre, rows, columns])
  const at = cell ?? { row: 0, column: 0 }
  useEffect(() => {
    const { style } = frame.current as HTMLDivElement
    style.setProperty('--rows', String(rows))
    style.setProperty('--columns', String(columns))
    style.setProperty('--row', String(at.row))
    style.setProperty('--column', String(at.column))
  })
  const value = values[at.row * columns + at.column]
  const words = `${rowName(at.row)}, ${columnName} ${at.column}: ${digitsOf(value)}`
  const move = (next: Cell) => {
    onCell?.(next)
    say(
      `${rowName(next.row)}, ${columnName} ${next.column}, ${digitsOf(values[next.row * columns + next.column])}`,
    )
  }
  const cellUnder = (event: MouseEvent): Cell => {
    const { left, top, width, height } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const part = (from: number, size: number, count: number) =>
      Math.max(0, Math.min(count - 1, Math.floor((from / size) * count)))
    return {
      row: part(event.clientY - top, height, rows),
      column: part(event.clientX - left, width, columns),
    }
  }
  return (
    <div ref={frame} class={`heatmap${props.square ? ' square' : ''}${rows > 16 ? ' many' : ''}`}>
      {props.label === false ? null : (
        <div class="row-names" aria-hidden="true">
          {Array.from({ length: rows }, (_, row) => (
            <span key={row} class={row === at.row && cell ? 'current' : ''}>
              {rowName(row)}
            </span>
          ))}
        </div>
      )}
      <div class="cells">
        <canvas ref={canvas} width={columns} height={rows} />
        {columns <= FEW && !props.square ? <Numbers values={values} /> : null}
        <div
          class="grid"
          role="grid"
          tabIndex={0}
          aria-label={name}
          aria-rowcount={rows}
          aria-colcount={columns}
          aria-activedescendant={`${id}-cell`}
          onClick={(event) => onCell?.(cellUnder(event))}
          onMouseMove={(event) => event.buttons === 0 && onCell?.(cellUnder(event))}
          onKeyDown={(event) => {
            const next = cellAfter(event, at, rows, columns)
            if (next === undefined) return
            event.preventDefault()
            move(next)
          }}
        >
          <div role="row" aria-rowindex={at.row + 1} class={cell ? 'marked row' : 'row'}>
            <div
              role="gridcell"
              id={`${id}-cell`}
              aria-colindex={at.column + 1}
              aria-selected={cell !== undefined}
            >
              <span class="only-read">{words}</span>
            </div>
          </div>
        </div>
      </div>
      <TableView {...{ name, values, rows, columns, rowName, columnName }} />
    </div>
  )
}

/** The numbers of a small picture, in its cells. */
function Numbers({ values }: { readonly values: ArrayLike<number> }) {
  return (
    <div class="numbers" aria-hidden="true">
      {Array.from(values, (value, index) => (
        <span key={index}>
          <b>{digitsOf(value)}</b>
        </span>
      ))}
    </div>
  )
}
