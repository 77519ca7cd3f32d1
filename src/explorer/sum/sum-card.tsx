import { Card } from '../draw/card.js'
import { Heatmap } from '../draw/heatmap.js'
import { Legend } from '../draw/legend.js'
import { answer, at, model, select, selection } from '../store.js'
import { textOf } from '../tokens/document-places.js'
import { visible } from '../tokens/places.js'
import { selectToken } from '../windows/select-token.js'
import { CellSum } from './cell-sum.js'
import { limitOf } from './limit.js'
import { WindowTabs } from './window-tabs.js'

/** Token rows plus position rows, channel by channel. */
export function SumCard() {
  const current = answer.value
  if (current === undefined) return null
  const { rows, batch, documents } = current
  const { channels, length, from } = rows
  const place = at.value ?? { window: rows.first, place: from }
  const window = Math.max(rows.first, Math.min(rows.first + rows.windows - 1, place.window))
  const row = Math.max(0, Math.min(length - 1, place.place - from))
  const channel = Math.min(selection.value.channel, channels - 1)
  const block = (values: Float32Array) =>
    values.subarray((window - rows.first) * length * channels, (window - rows.first + 1) * length * channels)
  const limit = limitOf(rows)
  const word = (each: number) => {
    const token = batch.starts[window] + from + each
    const document = documents[batch.documents[window]]
    return token < document.ids.length ? visible(textOf(document, token)) : 'pad'
  }
  const shared = {
    rows: length,
    columns: channels,
    limit,
    cell: { row, column: channel },
    onCell: (cell: { row: number; column: number }) => {
      select({ channel: cell.column })
      if (cell.row !== row) selectToken(batch.documents[window], batch.starts[window] + from + cell.row)
    },
  }
  const cell = row * channels + channel
  const { position } = rows
  return (
    <Card
      id="sum"
      title="The sum"
      about={
        position === undefined
          ? 'This scheme adds nothing to the rows: position comes in later, inside attention. The rows go on as they are.'
          : 'Each channel of the token’s row plus the same channel of its place’s row. The position rows have no B axis: the same T rows are added to every window.'
      }
      gives={[
        ['B', batch.windows],
        ['T', batch.length],
        ['C', channels],
      ]}
    >
      <WindowTabs />
      <CellSum
        sum={block(rows.sum)[cell]}
        token={block(rows.token)[cell]}
        position={position?.[cell]}
        architecture={current.recipe.architecture ?? model.value?.architecture ?? 'the architecture'}
        where={`${word(row)}, place ${from + row}, channel ${channel}`}
      />
      <div class="equation-blocks scrolls">
        <h3>token rows</h3>
        <Heatmap name="Token rows" values={block(rows.token)} rowName={word} {...shared} />
        {position === undefined ? null : (
          <>
            <div class="sign" aria-hidden="true">
              +
            </div>
            <h3>position rows</h3>
            <div class={rows.windows > 1 ? 'ghosts' : ''}>
              <Heatmap
                name="Position rows"
                values={position}
                rowName={(each) => `place ${from + each}`}
                {...shared}
              />
            </div>
          </>
        )}
        <div class="sign" aria-hidden="true">
          =
        </div>
        <h3>input embeddings</h3>
        <Heatmap name="Input embeddings" values={block(rows.sum)} rowName={word} {...shared} />
      </div>
      <Legend limit={limit} />
    </Card>
  )
}
