import { useState } from 'preact/hooks'
import type { Model } from '../../../../../clients/typescript/src/index.js'
import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { Heatmap } from '../draw/heatmap.js'
import { Chart } from '../positions/chart.js'
import { answer, model, select, selection } from '../store.js'
import { limitOf } from '../sum/limit.js'
import { textOf } from '../tokens/document-places.js'
import { visible } from '../tokens/places.js'
import { isFollowed } from './follow.js'
import { distance, rowOver } from './history.js'
import { history } from './look.js'
import { MovedRows, short } from './moved-rows.js'

/** How far a model is that learns, and what becomes of its rows. Nothing of a model that does not. */
export function LearningCard() {
  const { learning, model_version: version } = model.value ?? {}
  const { snapshots } = history.value
  if (answer.value === undefined || (learning == null && snapshots.length < 2)) return null
  const holds = !isFollowed.value
  return (
    <Card
      id="learning"
      title="Rows that learn"
      about="A trainer sends gradients, and each step of the optimizer moves rows of the table. While you look, all cards go on with its newest version."
    >
      <p class="facts-line">
        version {version}: {learning == null ? 'it no longer learns.' : progressOf(learning)}
      </p>
      <button
        type="button"
        aria-pressed={holds}
        onClick={() => {
          isFollowed.value = holds
        }}
      >
        Hold this version
      </button>
      <MovedRows />
      <RowHistory />
    </Card>
  )
}

function progressOf({ optimizer, step, pending, state_bytes }: NonNullable<Model['learning']>): string {
  const waiting = `${counted(pending)} ${pending === 1 ? 'call' : 'calls'} with gradients since`
  return `${counted(step)} ${step === 1 ? 'step' : 'steps'} of ${optimizer.type}, ${waiting}; ${counted(state_bytes)} bytes of states.`
}

/** The selected token's row in each version that the page has seen: its numbers, and its norm. */
function RowHistory() {
  const [row, setRow] = useState<number>()
  const { document: index, token, channel } = selection.value
  const document = answer.value?.documents[index]
  if (answer.value === undefined || document === undefined) return null
  const { channels } = history.value
  const { versions, values } = rowOver(history.value, document.ids[token])
  const last = versions.length - 1
  if (last < 1) return null
  const rowAt = (at: number) => values.subarray(at * channels, (at + 1) * channels)
  const norms = versions.map((_, at) => distance(rowAt(at)))
  const name = visible(textOf(document, token))
  const way = distance(rowAt(last), rowAt(0))
  return (
    <>
      <h3>
        row {document.ids[token]}, “{name}”, by version
      </h3>
      <div class="scrolls">
        <Heatmap
          name="The selected row by version"
          {...{ values, columns: channels, rows: versions.length, limit: limitOf(answer.value.rows) }}
          rowName={(at) => `version ${versions[at]}`}
          cell={{ row: Math.min(row ?? last, last), column: Math.min(channel, channels - 1) }}
          onCell={(cell) => {
            setRow(cell.row)
            select({ channel: cell.column })
          }}
        />
      </div>
      <Chart
        title={`Norm of the row of ${name}, by version: from ${short(norms[0])} to ${short(norms[last])}`}
        series={[{ name: 'norm', values: norms }]}
        places={versions}
        xName="version"
        steps
        fits
      />
      <p class="note">
        Since version {versions[0]} it has moved by {short(way)}; its norm was {short(norms[0])} and is{' '}
        {short(norms[last])}.
      </p>
    </>
  )
}
