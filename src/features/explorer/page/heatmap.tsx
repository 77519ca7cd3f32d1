import { signal } from '@preact/signals'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type Cell, cellAfter, digitsOf, pageOf, pixelsOf, STEPS, type Theme } from './numbers.js'
import { say, select, selection } from './store.js'

/** Columns whose numbers are written into their cells. */
const FEW = 4

interface Picture {
  readonly name: string
  readonly values: ArrayLike<number>
  readonly rows: number
  readonly columns: number
  readonly rowName: (row: number) => string
  /** The meaning of a column: a channel, a key, a distance. */
  readonly columnName?: string
}

interface Props extends Picture {
  /** The value of the last colour. */
  readonly limit: number
  readonly cell?: Cell | undefined
  readonly onCell?: (cell: Cell) => void
  /** The value of the middle colour. */
  readonly centre?: number
  /** Cells are squares: for matrices. */
  readonly square?: boolean
}

/**
 * Numbers as colours: a canvas of one pixel a number, and over it the one cell that is focused, which a keyboard moves
 * and a screen reader reads. "As a table" shows the same numbers as text.
 */
export function Heatmap(props: Props) {
  const { name, values, rows, columns, limit, centre = 0, rowName, columnName = 'channel' } = props
  const { cell, onCell, square } = props
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
    const sizes = { rows, columns, row: at.row, column: at.column }
    for (const [key, value] of Object.entries(sizes))
      frame.current?.style.setProperty(`--${key}`, String(value))
  })
  const digitsAt = ({ row, column }: Cell) => digitsOf(values[row * columns + column])
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
        <canvas ref={canvas} width={columns} height={rows} />
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
          onKeyDown={(event) => {
            const next = cellAfter(event, at, rows, columns)
            if (next === undefined) return
            event.preventDefault()
            onCell?.(next)
            say(`${rowName(next.row)}, ${columnName} ${next.column}, ${digitsAt(next)}`)
          }}
        >
          <div role="row" aria-rowindex={at.row + 1} class={cell ? 'marked row' : 'row'}>
            <div
              role="gridcell"
              id={`${id}-cell`}
              aria-colindex={at.column + 1}
              aria-selected={cell !== undefined}
            >
              <span class="only-read">{`${rowName(at.row)}, ${columnName} ${at.column}: ${digitsAt(at)}`}</span>
            </div>
          </div>
        </div>
      </div>
      <TableView {...{ name, values, rows, columns, rowName, columnName }} />
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
    <Heatmap
      {...props}
      cell={{ row, column: Math.min(selection.value.channel, props.columns - 1) }}
      onCell={(cell) => {
        select({ channel: cell.column })
        onRow?.(cell.row)
      }}
    />
  )
}

export function Legend({ limit }: { readonly limit: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = theme.value
  useEffect(() => {
    const values = Array.from({ length: STEPS }, (_, step) => (2 * step) / (STEPS - 1) - 1)
    const pixels = new ImageData(pixelsOf(values, 1, colours), STEPS, 1)
    canvas.current?.getContext('2d')?.putImageData(pixels, 0, 0)
  }, [colours])
  const end = digitsOf(Math.fround(limit))
  const label = `Colours from −${end} over 0 to ${end}`
  return (
    <p class="legend">
      <span>−{end}</span>
      <canvas ref={canvas} width={STEPS} height={1} role="img" aria-label={label} />
      <span>{end}</span>
      <span class="note">beyond: the last colour</span>
    </p>
  )
}

const query = matchMedia('(prefers-color-scheme: dark)')
const preferred = (): Theme => (query.matches ? 'dark' : 'light')

/** The colours that the reader's system asks for. */
export const theme = signal<Theme>(preferred())

query.addEventListener('change', () => {
  theme.value = preferred()
})

const PAGE_COLUMNS = 16
const PAGE_ROWS = 32

/** A button that shows the numbers of a picture as a table, some columns at a time. */
function TableView(props: Picture) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class="table-view">
      <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide the table' : 'As a table'}
        <span class="only-read">: {props.name}</span>
      </button>
      {isOpen ? <Pages {...props} /> : null}
    </div>
  )
}

function Pages({ name, values, rows, columns, rowName, columnName }: Picture) {
  const [column, setColumn] = useState(0)
  const [row, setRow] = useState(0)
  const shown = pageOf(column, PAGE_COLUMNS, columns)
  const lines = pageOf(row, PAGE_ROWS, rows)
  const copy = () => {
    const text = Array.from({ length: rows }, (_, row) => {
      const cells = Array.from({ length: columns }, (_, column) => values[row * columns + column])
      return [rowName(row), ...cells].join('\t')
    })
    void navigator.clipboard.writeText(text.join('\n'))
  }
  const turn = (name: string, from: number, page: number, count: number, onTurn: (from: number) => void) => (
    <>
      <button type="button" disabled={from === 0} onClick={() => onTurn(from - page)}>
        ← {name}
      </button>
      <button type="button" disabled={from + page >= count} onClick={() => onTurn(from + page)}>
        {name} →
      </button>
    </>
  )
  return (
    <div class="sheet">
      <div class="buttons">
        {turn(`${columnName}s`, shown[0], PAGE_COLUMNS, columns, setColumn)}
        {rows > PAGE_ROWS ? turn('rows', lines[0], PAGE_ROWS, rows, setRow) : null}
        <button type="button" onClick={copy}>
          Copy all {rows} × {columns}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by the keyboard */}
      <section class="scrolls" tabIndex={0} aria-label={`Table: ${name}`}>
        <table>
          <caption aria-live="polite">
            {name}: {columnName}s {shown[0]} to {shown.at(-1)}
            {rows > PAGE_ROWS ? `, rows ${lines[0]} to ${lines.at(-1)} of ${rows}` : ''}
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
            {lines.map((row) => (
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
    </div>
  )
}
