import { useMemo, useState } from 'preact/hooks'
import { Card } from '../draw/card.js'
import { counted, ordinal } from '../draw/digits.js'
import { Heatmap } from '../draw/heatmap.js'
import { answer, model, select, selection } from '../store.js'
import { limitOf } from '../sum/limit.js'
import { visible } from '../tokens/places.js'
import { nearby } from './nearby.js'
import { OneHot } from './one-hot.js'
import { TableBar } from './table-bar.js'

/** The table of V rows, and the row that the selected token takes. */
export function TableCard() {
  const [isProduct, setProduct] = useState(false)
  const current = answer.value
  const size = model.value?.vocab_size
  const ids = useMemo(() => (current === undefined ? [] : [...new Set(current.batch.ids)]), [current])
  if (current === undefined) return null
  const { rows, batch } = current
  const document = current.documents[selection.value.document]
  const id = document?.ids[selection.value.token] ?? 0
  const channel = Math.min(selection.value.channel, rows.tokenChannels - 1)
  const near = nearby.value
  return (
    <Card
      id="table"
      title="Token table"
      about="The table has one row for each id. An id is no more than the number of its row: the same id gives the same row, wherever it stands."
      gives={[
        ['B', batch.windows],
        ['T', batch.length],
        ['C', rows.tokenChannels],
      ]}
    >
      {size === undefined ? null : <TableBar {...{ size, ids, chosen: id }} />}
      <p class="facts-line">
        id {counted(id)} is the <b class="reveals">{ordinal(id + 1)}</b> row
        <span class="reveals">, because counting starts at 0</span>.
      </p>
      {near === undefined ? null : (
        <div class="scrolls">
          <Heatmap
            name="Rows of the table"
            values={near.values}
            rows={near.texts.length}
            columns={near.channels}
            limit={limitOf(rows)}
            rowName={(row) => `${near.first + row} ${visible(near.texts[row])}`}
            cell={{ row: near.id - near.first, column: channel }}
            onCell={(cell) => select({ channel: cell.column })}
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
