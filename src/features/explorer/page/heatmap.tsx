import { signal } from '@preact/signals'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { gridKeys } from './card.js'
import { type Cell, digitsOf, pixelsOf, STEPS } from './numbers.js'
import { select, selection, spoken } from './store.js'

/** Columns whose numbers are written into their cells. */
const FEW = 4

interface Numbers {
  readonly values: ArrayLike<number>
  readonly rows: number
  readonly columns: number
  /** The value of the last colour. */
  readonly limit: number
  /** The value of the middle colour. */
  readonly centre?: number
}

interface Props extends Numbers {
  readonly name: string
  readonly rowName: (row: number) => string
  /** The meaning of a column: a channel, a key, a distance. */
  readonly columnName?: string
  readonly cell?: Cell | undefined
  readonly onCell?: (cell: Cell) => void
  /** Cells are squares: for matrices. */
  readonly square?: boolean
}

/**
 * Numbers as colours: a canvas of one pixel a number, and over it the one cell that is focused, which a keyboard moves
 * and a screen reader reads. "As a table" shows the same numbers as text.
 */
export function Heatmap(props: Props) {
  const { name, values, rows, columns, limit, centre, rowName, columnName = 'channel' } = props
  const { cell, onCell, square } = props
  const frame = useRef<HTMLDivElement>(null)
  const id = useId()
  const at = cell ?? { row: 0, column: 0 }
  useEffect(() => {
    const sizes = Object.entries({ rows, columns, row: at.row, column: at.column })
    for (const [key, value] of sizes) frame.current?.style.setProperty(`--${key}`, String(value))
  })
  const told = ({ row, column }: Cell, sign: string) =>
    `${rowName(row)}, ${columnName} ${column}${sign} ${digitsOf(values[row * columns + column])}`
  const cellUnder = ({ currentTarget, clientX, clientY }: MouseEvent): Cell => {
    const { left, top, width, height } = (currentTarget as HTMLElement).getBoundingClientRect()
    const part = (from: number, size: number, count: number) =>
      Math.max(0, Math.min(count - 1, Math.floor((from / size) * count)))
    return { row: part(clientY - top, height, rows), column: part(clientX - left, width, columns) }
  }
  return (
    <div ref={frame} class={`heatmap${square ? ' square' : ''}${rows > 16 ? ' many' : ''}`}>
      <div class="row-names" aria-hidden="true">
        {Array.from({ length: rows }, (_, row) => (
          <span key={row} class={row === at.row && cell ? 'current' : ''}>
            {rowName(row)}
          </span>
        ))}
      </div>
      <div class="cells">
        <Pixels {...{ values, rows, columns, limit, centre }} />
        {columns <= FEW && !square ? (
          <div class="numbers" aria-hidden="true">
            {Array.from(values, (value, index) => (
              <span key={index}>
                <b>{digitsOf(value)}</b>
              </span>
            ))}
          </div>
        ) : null}
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
          onKeyDown={gridKeys(at, rows, columns, (next) => {
            onCell?.(next)
            spoken.value = told(next, ',')
          })}
        >
          <div role="row" aria-rowindex={at.row + 1} class={cell ? 'marked row' : 'row'}>
            <div
              role="gridcell"
              id={`${id}-cell`}
              aria-colindex={at.column + 1}
              aria-selected={cell !== undefined}
            >
              <span class="only-read">{told(at, ':')}</span>
            </div>
          </div>
        </div>
      </div>
      <TableView {...props} />
    </div>
  )
}

/** Rows of channels: a cell that is pointed at selects its channel in all cards. */
export function ChannelMap({
  row,
  onRow,
  ...props
}: Props & { readonly row: number; readonly onRow?: (row: number) => void }) {
  return (
    <div class="scrolls">
      <Heatmap
        {...props}
        cell={{ row, column: Math.min(selection.value.channel, props.columns - 1) }}
        onCell={(cell) => {
          select({ channel: cell.column })
          onRow?.(cell.row)
        }}
      />
    </div>
  )
}

/** @param label absent: what is written beside it tells the same */
function Pixels({ values, rows, columns, limit, centre, label }: Numbers & { readonly label?: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = isDark.value ? 'dark' : 'light'
  useEffect(() => {
    const image = new ImageData(pixelsOf(values, limit, colours, centre), columns, rows)
    canvas.current?.getContext('2d')?.putImageData(image, 0, 0)
  }, [values, limit, colours, centre, rows, columns])
  return (
    <canvas ref={canvas} width={columns} height={rows} role={label ? 'img' : undefined} aria-label={label} />
  )
}

/** All colours, from −1 to 1. */
const RAMP = Array.from({ length: STEPS }, (_, step) => (2 * step) / (STEPS - 1) - 1)

export function Legend({ limit }: { readonly limit: number }) {
  const end = digitsOf(Math.fround(limit))
  const label = `Colours from −${end} over 0 to ${end}`
  return (
    <p class="legend">
      <span>−{end}</span>
      <Pixels values={RAMP} rows={1} columns={STEPS} limit={1} label={label} />
      <span>{end}</span>
      <span class="note">beyond: the last colour</span>
    </p>
  )
}

const query = matchMedia('(prefers-color-scheme: dark)')
/** Whether the reader's system asks for dark colours. */
const isDark = signal(query.matches)
query.addEventListener('change', () => {
  isDark.value = query.matches
})

/** Columns that a table has at most: a page with more cells would stall. */
const MOST_COLUMNS = 1024

/** The numbers of a picture as a table, made when it is opened. */
function TableView({ name, values, rows, columns, rowName, columnName = 'channel' }: Props) {
  const [isOpen, setOpen] = useState(false)
  const shown = Array.from({ length: Math.min(columns, MOST_COLUMNS) }, (_, column) => column)
  return (
    <details class="table-view" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        As a table<span class="only-read">: {name}</span>
      </summary>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by the keyboard
        <section class="scrolls" tabIndex={0} aria-label={`Table: ${name}`}>
          <table>
            <caption>
              {name}: {columnName}s 0 to {shown.length - 1}
              {shown.length < columns ? ` of ${columns}` : ''}
            </caption>
            <thead>
              <tr>
                <td />
                {shown.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: rows }, (_, row) => (
                <tr key={row}>
                  <th scope="row">{rowName(row)}</th>
                  {shown.map((column) => (
                    <td key={column}>{digitsOf(values[row * columns + column])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
    </details>
  )
}
