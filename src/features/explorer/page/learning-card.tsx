import { useState } from 'preact/hooks'
import type { Model } from '../../../../clients/typescript/src/index.js'
import { tokenRows } from './answer.js'
import { Card, MeterLine } from './card.js'
import { Chart } from './chart.js'
import { isFollowed } from './flow.js'
import { ChannelMap } from './heatmap.js'
import { distance, history, movesOf, rowOver } from './learning.js'
import { counted, digitsOf, limitOf } from './numbers.js'
import { answer, model, selection } from './store.js'
import { visibleText } from './tokens.js'

/** How far the training of a model is, and how its rows change. Nothing for a model that is not trained here. */
export function LearningCard() {
  const { learning, model_version: version } = model.value ?? {}
  if (answer.value === undefined || (learning == null && history.value.snapshots.length < 2)) return null
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
  const { document: index, token } = selection.value
  const document = answer.value?.documents[index]
  if (answer.value === undefined || document === undefined) return null
  const { channels } = history.value
  const { versions, values } = rowOver(history.value, document.ids[token])
  const last = versions.length - 1
  if (last < 1) return null
  const rowAt = (at: number) => values.subarray(at * channels, (at + 1) * channels)
  const norms = versions.map((_, at) => distance(rowAt(at)))
  const [from, to] = [short(norms[0]), short(norms[last])]
  const name = visibleText(document, token)
  return (
    <>
      <h3>
        row {document.ids[token]}, “{name}”, by version
      </h3>
      <div class="scrolls">
        <ChannelMap
          name="The selected row by version"
          {...{ values, columns: channels, rows: versions.length, limit: limitOf(answer.value.rows) }}
          rowName={(at) => `version ${versions[at]}`}
          row={Math.min(row ?? last, last)}
          onRow={setRow}
        />
      </div>
      <Chart
        title={`Norm of the row of ${name}, by version: from ${from} to ${to}`}
        series={[{ name: 'norm', values: norms }]}
        places={versions}
        xName="version"
        steps
        fits
      />
      <p class="note">
        Since version {versions[0]} it has moved by {short(distance(rowAt(last), rowAt(0)))}; its norm was{' '}
        {from} and is {to}.
      </p>
    </>
  )
}

const NAMED = 12

/** Which of the rows on screen the last version has moved, and how far. */
function MovedRows() {
  const [before, after] = history.value.snapshots.slice(-2)
  const current = answer.value
  if (after === undefined || current === undefined) {
    return <p class="empty">No step since this page was opened.</p>
  }
  const { compared, moves } = movesOf(before, after)
  const names = new Map(tokenRows(current).map(({ id, name }) => [id, name]))
  const named = moves.filter(({ id }) => names.has(id)).slice(0, NAMED)
  const size = model.value?.vocab_size
  return (
    <>
      <h3>
        from version {before.version} to {after.version}
      </h3>
      <p>
        <b>{moves.length}</b> of the {compared} token rows on screen moved
        {size === undefined ? '' : `; the table has ${counted(size)}`}.
      </p>
      <div class="measures">
        {named.map(({ id, norm }) => (
          <MeterLine
            key={id}
            name={names.get(id) as string}
            label={`Norm of the move of ${names.get(id)}`}
            value={norm}
            most={moves[0].norm || 1}
            digits={short(norm)}
          />
        ))}
      </div>
      {moves.length > named.length ? <p class="note">and {moves.length - named.length} others</p> : null}
    </>
  )
}

function short(norm: number): string {
  return digitsOf(Math.fround(Number(norm.toPrecision(3))))
}
