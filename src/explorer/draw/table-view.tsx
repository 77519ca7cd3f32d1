import { useState } from 'preact/hooks'
import { digitsOf } from './digits.js'

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
  const [from, setFrom] = useState(0)
  const shown = Array.from({ length: Math.min(PAGE_COLUMNS, columns - from) }, (_, index) => from + index)
  const lines = Array.from({ length: Math.min(PAGE_ROWS, rows) }, (_, row) => row)
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
        <button type="button" disabled={from === 0} onClick={() => setFrom(Math.max(0, from - PAGE_COLUMNS))}>
          ← {columnName}s
        </button>
        <button
          type="button"
          disabled={from + PAGE_COLUMNS >= columns}
          onClick={() => setFrom(from + PAGE_COLUMNS)}
        >
          {columnName}s →
        </button>
        <button type="button" onClick={copy}>
          Copy all {rows} × {columns}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by the keyboard */}
      <section class="scrolls" tabIndex={0} aria-label={`Table: ${name}`}>
        <table>
          <caption>
            {name}: {columnName}s {shown[0]} to {shown.at(-1)}
            {rows > PAGE_ROWS ? `, first ${PAGE_ROWS} of ${rows} rows` : ''}
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
