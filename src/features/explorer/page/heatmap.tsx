import { signal } from '@preact/signals'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type Cell, cellAfter, digitsOf, pageOf, pixelsOf, STEPS, type Theme } from './numbers.js'
import { say } from './store.js'

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

/** The scale of the colours, from −limit to limit. */
export function Legend({ limit }: { readonly limit: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = theme.value
  useEffect(() => {
    const values = Array.from({ length: STEPS }, (_, step) => (2 * step) / (STEPS - 1) - 1)
    const pixels = new ImageData(pixelsOf(values, 1, colours), STEPS, 1)
    canvas.current?.getContext('2d')?.putImageData(pixels, 0, 0)
  }, [colours])
  const end = digitsOf(Math.fround(limit))
  return (
    <p class="legend">
      <span>−{end}</span>
      <canvas
        ref={canvas}
        width={STEPS}
        height={1}
        role="img"
        aria-label={`Colours from −${end} over 0 to ${end}`}
      />
      <span>{end}</span>
      <span class="note">beyond: the last colour</span>
    </p>
  )
}

const query = matchMedia('(prefers-color-scheme: dark)')

/** The colours that the reader's system asks for. */
export const theme = signal<Theme>(query.matches ? 'dark' : 'light')

query.addEventListener('change', () => {
  theme.value = query.matches ? 'dark' : 'light'
})

interface TableProps {
  readonly name: string
  readonly values: ArrayLike<number>
  readonly rows: number
  readonly columns: number
  readonly rowName: (row: number) => string
  readonly columnName: string
}

/** Columns and rows of a page of the table. */
const PAGE_COLUMNS = 16
const PAGE_ROWS = 32

/** A button that shows the numbers of a picture as a table, some columns at a time, and copies all of them. */
function TableView(props: TableProps) {
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

function Pages({ name, values, rows, columns, rowName, columnName }: TableProps) {
  const [column, setColumn] = useState(0)
  const [row, setRow] = useState(0)
  const shown = pageOf(column, PAGE_COLUMNS, columns)
  const lines = pageOf(row, PAGE_ROWS, rows)
  const copy = () => {
    const text = Array.from({ length: rows }, (_, row) =>
      [rowName(row), ...Array.from({ length: columns }, (_, column) => values[row * columns + column])].join(
        '\t',
      ),
    )
    void navigator.clipboard.writeText(text.join('\n'))
  }
  return (
    <div class="sheet">
      <div class="buttons">
        <Turn
          from={shown[0]}
          page={PAGE_COLUMNS}
          count={columns}
          name={`${columnName}s`}
          onTurn={setColumn}
        />
        {rows > PAGE_ROWS ? (
          <Turn from={lines[0]} page={PAGE_ROWS} count={rows} name="rows" onTurn={setRow} />
        ) : null}
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

interface TurnProps {
  readonly from: number
  readonly page: number
  readonly count: number
  readonly name: string
  readonly onTurn: (from: number) => void
}

/** Buttons to the page before and after. */
function Turn({ from, page, count, name, onTurn }: TurnProps) {
  return (
    <>
      <button type="button" disabled={from === 0} onClick={() => onTurn(from - page)}>
        ← {name}
      </button>
      <button type="button" disabled={from + page >= count} onClick={() => onTurn(from + page)}>
        {name} →
      </button>
    </>
  )
}
