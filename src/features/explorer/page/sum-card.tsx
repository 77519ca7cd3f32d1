import type { Model } from '../../../../clients/typescript/src/index.js'
import { Card } from './card.js'
import { Heatmap, Legend } from './heatmap.js'
import { digitsOf, limitOf } from './numbers.js'
import { answer, at, model, select, selection, selectToken } from './store.js'
import { textOf, visible } from './tokens.js'

/** Token rows plus position rows, channel by channel. */
export function SumCard() {
  const current = answer.value
  if (current === undefined) return null
  const { rows, batch, documents } = current
  const { channels, tokenChannels, positionChannels, length, from, position } = rows
  const place = at.value ?? { window: rows.first, place: from }
  const window = Math.max(rows.first, Math.min(rows.first + rows.windows - 1, place.window))
  const row = Math.max(0, Math.min(length - 1, place.place - from))
  const channel = Math.min(selection.value.channel, channels - 1)
  const block = (values: Float32Array, columns: number) =>
    values.subarray((window - rows.first) * length * columns, (window - rows.first + 1) * length * columns)
  const limit = limitOf(rows)
  const word = (each: number) => {
    const token = batch.starts[window] + from + each
    const document = documents[batch.documents[window]]
    return token < document.ids.length ? visible(textOf(document, token)) : 'pad'
  }
  const shared = (columns: number) => ({
    rows: length,
    columns,
    limit,
    cell: { row, column: Math.min(channel, columns - 1) },
    onCell: (cell: { row: number; column: number }) => {
      select({ channel: cell.column })
      if (cell.row !== row) selectToken(batch.documents[window], batch.starts[window] + from + cell.row)
    },
  })
  const isProjected = tokenChannels !== channels || (position !== undefined && positionChannels !== channels)
  const cell = row * channels + channel
  const tokens = block(rows.token, tokenChannels)
  const sums = block(rows.sum, channels)
  return (
    <Card
      id="sum"
      title="The sum"
      about={
        isProjected
          ? PROJECTED
          : aboutSum(position !== undefined, model.value, current.positions !== undefined)
      }
      gives={[
        ['B', batch.windows],
        ['T', batch.length],
        ['C', channels],
      ]}
    >
      <WindowTabs />
      <CellSum
        sum={sums[cell]}
        token={isProjected ? undefined : tokens[cell]}
        position={position?.[cell]}
        projects={isProjected ? [tokenChannels, channels] : undefined}
        architecture={current.recipe.architecture ?? model.value?.architecture ?? 'the architecture'}
        where={`${word(row)}, place ${from + row}, channel ${channel}`}
      />
      <div class="equation-blocks scrolls">
        <h3>token rows</h3>
        <Heatmap name="Token rows" values={tokens} rowName={word} {...shared(tokenChannels)} />
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
                {...shared(positionChannels)}
              />
            </div>
          </>
        )}
        <div class="sign" aria-hidden="true">
          =
        </div>
        <h3>input embeddings</h3>
        <Heatmap name="Input embeddings" values={sums} rowName={word} {...shared(channels)} />
      </div>
      <Legend limit={limit} />
    </Card>
  )
}

const PROJECTED =
  'This model’s table is narrower or wider than what its first block reads: it makes the input embeddings of the rows by a matrix of its own.'

/** Tells whether positions are added to the rows, and how a model of whole texts pools them. */
function aboutSum(adds: boolean, model: Model | undefined, hasScheme: boolean): string {
  if (adds) {
    return 'Each channel of the token’s row plus the same channel of its place’s row. The position rows have no B axis: the same T rows are added to every window.'
  }
  if (model?.pooling) {
    return 'Nothing is added. This model takes the mean of a text’s rows as the embedding of the whole text, in which no order is left.'
  }
  return hasScheme
    ? 'This scheme adds nothing to the rows: position comes in later, inside attention.'
    : 'Without a scheme nothing is added to the rows.'
}

/** The windows whose rows are loaded: one of them is drawn. */
function WindowTabs() {
  const current = answer.value
  if (current === undefined || current.batch.windows < 2) return null
  const { rows, batch } = current
  const chosen = at.value?.window ?? rows.first
  const place = at.value?.place ?? rows.from
  return (
    <fieldset class="tabs">
      <legend>window of the batch</legend>
      {Array.from({ length: rows.windows }, (_, index) => rows.first + index).map((window) => (
        <label key={window} class={window === chosen ? 'on' : ''}>
          <input
            type="radio"
            name="window"
            checked={window === chosen}
            onChange={() => selectToken(batch.documents[window], batch.starts[window] + place)}
          />
          {window}
        </label>
      ))}
    </fieldset>
  )
}

interface Props {
  readonly sum: number
  /** Undefined: the model projects rows, and no channel of the sum is one of the token's row alone. */
  readonly token: number | undefined
  /** Undefined: nothing is added. */
  readonly position: number | undefined
  /** The numbers of a row of the table, and of an input embedding, where the model makes these of those. */
  readonly projects?: readonly [number, number] | undefined
  /** Where the cell is. */
  readonly where: string
  /** The architecture, which may do more than add. */
  readonly architecture: string
}

/** The arithmetic of one cell, in the digits that the service writes. */
function CellSum({ sum, token, position, projects, where, architecture }: Props) {
  const isSum = token !== undefined && Math.fround(token + (position ?? 0)) === sum
  return (
    <p class="cell-sum">
      <span class="note">{where}</span>
      <span class="equation">
        <output class="sum-value">{digitsOf(sum)}</output>
        {token === undefined ? null : (
          <>
            {isSum ? ' = ' : ' ← '}
            <span class="token-value">{digitsOf(token)}</span>
            {position === undefined ? null : (
              <>
                {' + '}
                <span class="position-value">{digitsOf(position)}</span>
              </>
            )}
          </>
        )}
      </span>
      {token === undefined && projects !== undefined ? (
        <span class="note">
          {architecture} makes {projects[1]} numbers of the {projects[0]} in a row of its table, by a matrix
          of its own: each has a part of all of them.
        </span>
      ) : null}
      {isSum || token === undefined ? null : (
        <span class="note">
          and what {architecture} does besides: rows scaled, token types added, or the row normalized.
        </span>
      )}
    </p>
  )
}
