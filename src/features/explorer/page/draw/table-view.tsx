import { useState } from 'preact/hooks'
import { digitsOf } from './digits.js'
import { pageOf } from './page-of.js'

interface Props {
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
export function TableView(props: Props) {
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

function Pages({ name, values, rows, columns, rowName, columnName }: Props) {
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
