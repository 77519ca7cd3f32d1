import { useState } from 'preact/hooks'
import type { Model } from '../../../../clients/typescript/src/index.js'
import { type Answer, tokenRows } from './answer.js'
import { Card, MeterLine } from './card.js'
import { ChannelMap } from './heatmap.js'
import { distance, history, movesOf, rowOver } from './learning.js'
import { counted, digitsOf, limitOf } from './numbers.js'
import { answer, selection } from './store.js'
import { visibleText } from './tokens.js'

/** How far the training of a model is, and how its rows change. Nothing for a model that is not trained here. */
export function LearningCard() {
  const current = answer.value
  const { learning, model_version: version } = current?.model ?? {}
  if (current === undefined || (learning == null && history.value.snapshots.length < 2)) return null
  return (
    <Card
      id="learning"
      title="Rows that learn"
      about="A trainer sends gradients, and each step of the optimizer moves rows of the table. While you look, all cards go on with its newest version."
    >
      <p class="facts-line">
        version {version}: {learning == null ? 'it no longer learns.' : progressOf(learning)}
      </p>
      <MovedRows {...current} />
      <RowHistory {...current} />
    </Card>
  )
}

function progressOf({ optimizer, step, pending }: NonNullable<Model['learning']>): string {
  const waiting = `${counted(pending)} ${pending === 1 ? 'call' : 'calls'} with gradients since`
  return `${counted(step)} ${step === 1 ? 'step' : 'steps'} of ${optimizer.type}, ${waiting}.`
}

const NAMED = 12

/** Which of the rows on screen the last version has moved, and how far. */
function MovedRows(current: Answer) {
  const [before, after] = history.value.snapshots.slice(-2)
  if (after === undefined) return <p class="empty">No step since this page was opened.</p>
  const { compared, moves } = movesOf(before, after)
  const names = new Map(tokenRows(current).map(({ id, name }) => [id, name]))
  return (
    <>
      <h3>
        from version {before.version} to {after.version}
      </h3>
      <p>
        <b>{moves.length}</b> of the {compared} token rows on screen moved; the table has{' '}
        {counted(current.model.vocab_size)}.
      </p>
      <div class="measures">
        {moves.slice(0, NAMED).map(({ id, norm }) => (
          <MeterLine
            key={id}
            name={names.get(id) ?? `#${id}`}
            label={`Norm of the move of ${names.get(id) ?? id}`}
            value={norm}
            most={moves[0].norm || 1}
            digits={short(norm)}
          />
        ))}
      </div>
    </>
  )
}

/** The selected token's row in each version that the page has seen. */
function RowHistory({ documents, rows }: Answer) {
  const [row, setRow] = useState<number>()
  const { document: index, token } = selection.value
  const id = documents[index]?.ids[token] ?? -1
  const { channels } = history.value
  const { versions, values } = rowOver(history.value, id)
  const last = versions.length - 1
  if (last < 1) return null
  const rowAt = (at: number) => values.subarray(at * channels, (at + 1) * channels)
  return (
    <>
      <h3>
        row {id}, “{visibleText(documents[index], token)}”, by version
      </h3>
      <ChannelMap
        name="The selected row by version"
        {...{ values, columns: channels, rows: versions.length, limit: limitOf(rows) }}
        rowName={(at) => `version ${versions[at]}`}
        row={Math.min(row ?? last, last)}
        onRow={setRow}
      />
      <p class="note">
        Since version {versions[0]} it has moved by {short(distance(rowAt(last), rowAt(0)))}; its norm was{' '}
        {short(distance(rowAt(0)))} and is {short(distance(rowAt(last)))}.
      </p>
    </>
  )
}

function short(norm: number): string {
  return digitsOf(Math.fround(Number(norm.toPrecision(3))))
}
