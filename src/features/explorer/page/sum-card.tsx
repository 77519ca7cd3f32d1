import { Card, Tabs } from './card.js'
import { ChannelMap, Legend } from './heatmap.js'
import type { Answer } from './load.js'
import { digitsOf, limitOf } from './numbers.js'
import { at, selection, selectToken } from './store.js'
import { visibleText } from './tokens.js'

/** Token rows plus position rows, channel by channel. */
export function SumCard(current: Answer) {
  const { rows, batch, documents, model } = current
  const { channels, tokenChannels, positionChannels, length, from, position } = rows
  const within = (value: number, first: number, count: number) =>
    Math.max(first, Math.min(first + count - 1, value))
  const window = within(at.value?.window ?? 0, rows.first, rows.windows)
  const row = within(at.value?.position ?? 0, from, length) - from
  const channel = Math.min(selection.value.channel, channels - 1)
  const block = (values: Float32Array, columns: number) => {
    const start = (window - rows.first) * length * columns
    return values.subarray(start, start + length * columns)
  }
  const word = (each: number) =>
    visibleText(documents[batch.documents[window]], batch.starts[window] + from + each) || 'pad'
  const positionName = (each: number) => `position ${from + each}`
  const choose = (inWindow: number, next: number) =>
    selectToken(batch.documents[inWindow], batch.starts[inWindow] + from + next)
  const limit = limitOf(rows)
  const map = (name: string, values: Float32Array, columns: number, rowName = word) => (
    <>
      <h3>{name.toLowerCase()}</h3>
      <ChannelMap
        {...{ name, values, columns, rowName, limit, row, rows: length }}
        onRow={(next) => next !== row && choose(window, next)}
      />
    </>
  )
  const isProjected = tokenChannels !== channels || (position !== undefined && positionChannels !== channels)
  const cell = row * channels + channel
  const [tokens, sums] = [block(rows.token, tokenChannels), block(rows.sum, channels)]
  const parts = [tokens[cell], ...(position === undefined ? [] : [position[cell]])]
  const isSum = !isProjected && Math.fround(parts.reduce((sum, each) => sum + each)) === sums[cell]
  const architecture = model.architecture ?? 'the architecture'
  return (
    <Card
      id="sum"
      title="The sum"
      about={isProjected ? PROJECTED : aboutSum(current)}
      gives={{ B: batch.windows, T: batch.length, C: channels }}
    >
      {batch.windows < 2 ? null : (
        <Tabs
          label="window of the batch"
          values={Array.from({ length: rows.windows }, (_, index) => rows.first + index)}
          value={window}
          onValue={(next) => choose(next, row)}
        />
      )}
      <p class="cell-sum">
        <span class="note">
          {word(row)}, position {from + row}, channel {channel}
        </span>
        <span class="equation">
          <output class="sum-value">{digitsOf(sums[cell])}</output>
          {(isProjected ? [] : parts).map((part, index) => [
            index > 0 ? ' + ' : isSum ? ' = ' : ' ← ',
            <span class={index > 0 ? 'position-value' : 'token-value'}>{digitsOf(part)}</span>,
          ])}
        </span>
        {isSum ? null : (
          <span class="note">
            {isProjected
              ? `${architecture} makes ${channels} numbers of the ${tokenChannels} in a row of its table, by a matrix of its own: each has a part of all of them.`
              : `and what ${architecture} does besides: rows scaled, token types added, or the row normalized.`}
          </span>
        )}
      </p>
      {map('Token rows', tokens, tokenChannels)}
      {position === undefined ? null : (
        <>
          <div class="sign">+</div>
          {map('Position rows', position, positionChannels, positionName)}
        </>
      )}
      <div class="sign">=</div>
      {map('Input embeddings', sums, channels)}
      <Legend limit={limit} />
    </Card>
  )
}

const PROJECTED =
  'This model’s table is narrower or wider than what its first block reads: it makes the input embeddings of the rows by a matrix of its own.'

/** Shows if positions are added to the rows, and how a model of whole texts pools them. */
function aboutSum({ rows, positions, model }: Answer): string {
  if (rows.position !== undefined) {
    return 'Each channel of the token’s row plus the same channel of its position’s row. The position rows have no B axis: the same T rows are added to every window.'
  }
  if (model.pooling) {
    return 'Nothing is added. This model takes the mean of a text’s rows as the embedding of the whole text, in which no order is left.'
  }
  return positions === undefined
    ? 'Without a scheme nothing is added to the rows.'
    : 'This scheme adds nothing to the rows: position comes in later, inside attention.'
}
