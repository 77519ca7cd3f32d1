import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Card } from './card.js'
import { nearby } from './flow.js'
import { ChannelMap, theme } from './heatmap.js'
import { counted, limitOf, ordinal } from './numbers.js'
import { answer, model, selection } from './store.js'
import { visible } from './tokens.js'

/** The table of V rows, and the row that the selected token takes. */
export function TableCard() {
  const [isProduct, setProduct] = useState(false)
  const current = answer.value
  const size = model.value?.vocab_size
  const ids = useMemo(() => (current === undefined ? [] : [...new Set(current.batch.ids)]), [current])
  if (current === undefined) return null
  const { rows, batch } = current
  const id = current.documents[selection.value.document]?.ids[selection.value.token] ?? 0
  const near = nearby.value
  return (
    <Card
      id="table"
      title="Token table"
      about="The table has one row for each id. An id is no more than the number of its row: the same id gives the same row, wherever it stands."
      gives={{ B: batch.windows, T: batch.length, C: rows.tokenChannels }}
    >
      {size === undefined ? null : <TableBar {...{ size, ids, chosen: id }} />}
      <p class="facts-line">
        id {counted(id)} is the <b class="reveals">{ordinal(id + 1)}</b> row
        <span class="reveals">, because counting starts at 0</span>.
      </p>
      {near === undefined ? null : (
        <div class="scrolls">
          <ChannelMap
            name="Rows of the table"
            values={near.values}
            rows={near.texts.length}
            columns={near.channels}
            limit={limitOf(rows)}
            rowName={(row) => `${near.first + row} ${visible(near.texts[row])}`}
            row={near.id - near.first}
          />
        </div>
      )}
      {size === undefined ? null : (
        <>
          <button type="button" aria-pressed={isProduct} onClick={() => setProduct(!isProduct)}>
            As a product
          </button>
          {isProduct ? <OneHot {...{ id, size, channels: rows.tokenChannels }} /> : null}
        </>
      )}
    </Card>
  )
}

/** The same lookup as a product: a vector of one 1 and V − 1 zeros, times the table. */
function OneHot({ id, size, channels }: Readonly<Record<'id' | 'size' | 'channels', number>>) {
  const zeros = (count: number) => (count === 0 ? null : <span class="zeros">{counted(count)} × 0</span>)
  return (
    <div class="one-hot">
      <p class="vector">
        [ {zeros(id)} <b>1</b> {zeros(size - id - 1)} ]{' '}
        <span class="times">
          · table [{counted(size)}, {counted(channels)}] = row {counted(id)}
        </span>
      </p>
      <p class="note">
        {counted(size * channels)} multiplications, of which all but {counted(channels)} are by 0: a lookup
        gives the same numbers and takes one row. This is why an embedding layer is a linear layer without its
        multiplications.
      </p>
    </div>
  )
}

interface BarProps {
  readonly size: number
  readonly ids: readonly number[]
  readonly chosen: number
}

const WIDTH = 1024
const HEIGHT = 28
const COLOURS = {
  light: { table: '#e4e9f5', mark: '#7d93cb', chosen: '#1f3b86' },
  dark: { table: '#222b41', mark: '#6f88c9', chosen: '#c6d4ff' },
}

/** All V rows of the table side by side, with marks at the rows of this text. */
function TableBar({ size, ids, chosen }: BarProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = COLOURS[theme.value]
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    const width = Math.max(2, WIDTH / size)
    const fill = (left: number, width: number, colour: string) => {
      context.fillStyle = colour
      context.fillRect(left, 0, width, HEIGHT)
    }
    fill(0, WIDTH, colours.table)
    for (const id of ids) fill((id / size) * WIDTH, width, colours.mark)
    fill((chosen / size) * WIDTH, width, colours.chosen)
  }, [size, ids, chosen, colours])
  const label = `The table's ${counted(size)} rows; marked are ${ids.length} that this batch takes, and row ${counted(chosen)}`
  return (
    <figure class="table-bar">
      <canvas ref={canvas} width={WIDTH} height={HEIGHT} role="img" aria-label={label} />
      <figcaption>
        <span>row 0</span>
        <span>row {counted(size - 1)}</span>
      </figcaption>
    </figure>
  )
}
