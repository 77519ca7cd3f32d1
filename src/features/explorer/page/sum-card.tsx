import type { Answer } from './answer.js'
import { Card } from './card.js'
import { ChannelMap, Legend } from './heatmap.js'
import { digitsOf, limitOf } from './numbers.js'
import { answer, at, model, selection, selectToken } from './store.js'
import { visibleText } from './tokens.js'

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
    const [document, token] = [documents[batch.documents[window]], batch.starts[window] + from + each]
    return token < document.ids.length ? visibleText(document, token) : 'pad'
  }
  const shared = (columns: number) => ({
    ...{ rows: length, columns, limit, row },
    onRow: (next: number) => {
      if (next !== row) selectToken(batch.documents[window], batch.starts[window] + from + next)
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
      about={isProjected ? PROJECTED : aboutSum(current)}
      gives={{ B: batch.windows, T: batch.length, C: channels }}
    >
      <WindowTabs />
      <CellSum
        sum={sums[cell]}
        token={isProjected ? undefined : tokens[cell]}
        position={position?.[cell]}
        sizes={[tokenChannels, channels]}
        architecture={current.recipe.architecture ?? model.value?.architecture ?? 'the architecture'}
        where={`${word(row)}, position ${from + row}, channel ${channel}`}
      />
      <div class="equation-blocks scrolls">
        <h3>token rows</h3>
        <ChannelMap name="Token rows" values={tokens} rowName={word} {...shared(tokenChannels)} />
        {position === undefined ? null : (
          <>
            <div class="sign" aria-hidden="true">
              +
            </div>
            <h3>position rows</h3>
            <div class={rows.windows > 1 ? 'ghosts' : ''}>
              <ChannelMap
                name="Position rows"
                values={position}
                rowName={(each) => `position ${from + each}`}
                {...shared(positionChannels)}
              />
            </div>
          </>
        )}
        <div class="sign" aria-hidden="true">
          =
        </div>
        <h3>input embeddings</h3>
        <ChannelMap name="Input embeddings" values={sums} rowName={word} {...shared(channels)} />
      </div>
      <Legend limit={limit} />
    </Card>
  )
}

const PROJECTED =
  'This model’s table is narrower or wider than what its first block reads: it makes the input embeddings of the rows by a matrix of its own.'

/** Shows if positions are added to the rows, and how a model of whole texts pools them. */
function aboutSum({ rows, positions }: Answer): string {
  if (rows.position !== undefined) {
    return 'Each channel of the token’s row plus the same channel of its position’s row. The position rows have no B axis: the same T rows are added to every window.'
  }
  if (model.value?.pooling) {
    return 'Nothing is added. This model takes the mean of a text’s rows as the embedding of the whole text, in which no order is left.'
  }
  return positions === undefined
    ? 'Without a scheme nothing is added to the rows.'
    : 'This scheme adds nothing to the rows: position comes in later, inside attention.'
}

interface CellProps {
  readonly sum: number
  /** Undefined: the model projects rows, and no channel of the sum is one of the token's row alone. */
  readonly token: number | undefined
  /** Undefined: nothing is added. */
  readonly position: number | undefined
  /** The numbers of a row of the table, and of an input embedding. */
  readonly sizes: readonly [number, number]
  readonly where: string
  readonly architecture: string
}

/** The arithmetic of one cell, in the digits that the service writes. */
function CellSum({ sum, token, position, sizes, where, architecture }: CellProps) {
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
      {isSum ? null : (
        <span class="note">
          {token === undefined
            ? `${architecture} makes ${sizes[1]} numbers of the ${sizes[0]} in a row of its table, by a matrix of its own: each has a part of all of them.`
            : `and what ${architecture} does besides: rows scaled, token types added, or the row normalized.`}
        </span>
      )}
    </p>
  )
}

/** The windows whose rows are loaded: one of them is drawn. */
function WindowTabs() {
  const current = answer.value
  if (current === undefined || current.batch.windows < 2) return null
  const { rows, batch } = current
  const chosen = at.value ?? { window: rows.first, place: rows.from }
  return (
    <fieldset class="tabs">
      <legend>window of the batch</legend>
      {Array.from({ length: rows.windows }, (_, index) => rows.first + index).map((window) => (
        <label key={window} class={window === chosen.window ? 'on' : ''}>
          <input
            type="radio"
            name="window"
            checked={window === chosen.window}
            onChange={() => selectToken(batch.documents[window], batch.starts[window] + chosen.place)}
          />
          {window}
        </label>
      ))}
    </fieldset>
  )
}
