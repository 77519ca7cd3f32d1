import { useState } from 'preact/hooks'
import type { Positions } from './answer.js'
import { Card } from './card.js'
import { Chart, Slider } from './chart.js'
import { ChannelMap, Heatmap } from './heatmap.js'
import { cosines, counted, digitsOf, limitOf } from './numbers.js'
import type { PositionType } from './recipe.js'
import { answer, at, model, selection } from './store.js'

interface Drawn {
  readonly positions: Positions
}

/** Each scheme that gives tensors: what it does, in a sentence, and its picture. */
const PICTURES: Readonly<
  Record<Exclude<PositionType, 'none'>, readonly [string, (drawn: Drawn) => preact.JSX.Element]>
> = {
  learned_absolute: [
    'A second table, with a row for each position. Attention cannot see order: these rows say “I am token 5”.',
    AddedPicture,
  ],
  sinusoidal: [
    'Sines and cosines with ever longer waves. Nothing is learned, and there is a row for every position.',
    (drawn) => <AddedPicture {...drawn} curves />,
  ],
  rope: [
    'Each pair of channels of queries and keys is turned by an angle that grows with the position. Rows stay as they are.',
    RopePicture,
  ],
  alibi: [
    'A score loses a little for each token of distance, and each head loses at its own rate.',
    AlibiPicture,
  ],
  t5: [
    'Distances share buckets: near ones have one each, far ones share. Each head learns a number for each bucket.',
    T5Picture,
  ],
  shaw: [
    'A learned vector for each distance, the same for all distances beyond a bound.',
    (drawn) => <DistancePicture {...drawn} name="relative_position_index" />,
  ],
  transformer_xl: [
    'A sinusoid of the distance, from a memory of earlier tokens to the window’s own.',
    TransformerXlPicture,
  ],
  deberta: [
    'Content and position are kept apart: a learned vector for each distance, compared both ways.',
    (drawn) => <DistancePicture {...drawn} name="c2p_index" />,
  ],
}

export function PositionsCard() {
  const current = answer.value
  if (current === undefined) return null
  const { positions, batch, rows } = current
  const card = { id: 'positions', title: 'Position rows' }
  if (positions === undefined) {
    return (
      <Card
        {...card}
        about="No scheme: the rows do not say where they stand, and a shuffled sentence has the same rows, shuffled. Some models learn the order from the causal mask alone."
      >
        <p class="empty">Nothing is added, and nothing goes to attention.</p>
      </Card>
    )
  }
  const [about, Picture] = PICTURES[positions.type as keyof typeof PICTURES]
  const size = positions.type === 'learned_absolute' ? model.value?.max_position_embeddings : undefined
  const end = positions.offset + batch.length
  const shape = { T: batch.length, C: rows.positionChannels }
  return (
    <Card {...card} about={about} gives={rows.position && shape}>
      <p class="facts-line">
        <b>{positions.type}</b>
        {size
          ? `: positions ${counted(positions.offset)} to ${counted(end - 1)} of ${counted(size)}; ${counted(size - end)} rows are left, and beyond the last one there is none`
          : null}
        {positions.length === batch.length ? '' : `; drawn for ${positions.length} positions`}
      </p>
      <Picture positions={positions} />
    </Card>
  )
}

/** Rows that are added to the tokens', and how alike each two of them are. */
function AddedPicture({ positions, curves = false }: Drawn & { readonly curves?: boolean }) {
  const { data, shape } = positions.tensors.position_embeddings
  const [length, channels] = shape
  const values = data as Float32Array
  const rowName = (row: number) => `position ${positions.offset + row}`
  const shown = answer.value?.rows
  return (
    <>
      <div class="scrolls">
        <ChannelMap
          name="Position rows of the window"
          {...{ values, rowName, rows: length, columns: channels }}
          limit={curves || shown === undefined ? 1 : limitOf(shown)}
          row={Math.min(at.value?.place ?? 0, length - 1)}
        />
      </div>
      {curves ? <Curves {...{ values, length, channels, offset: positions.offset }} /> : null}
      {length < 2 ? null : (
        <div class="beside">
          <Heatmap
            name="Cosines of the position rows"
            {...{ values: cosines(values, length, channels), rowName, rows: length, columns: length }}
            limit={1}
            columnName="position"
            square
          />
          <p class="note">
            The cosine of each two rows. Drawn at random, a row is like none but itself: only the diagonal
            stands out. Learned or sinusoidal, neighbours are alike, and bands appear.
          </p>
        </div>
      )}
    </>
  )
}

interface CurveProps {
  readonly values: Float32Array
  readonly length: number
  readonly channels: number
  readonly offset: number
}

/** Four columns of the sinusoids, the selected one among them. */
function Curves({ values, length, channels, offset }: CurveProps) {
  const channel = Math.min(selection.value.channel, channels - 1)
  const others = [0, 0.1, 0.2, 0.4].map((part) => 2 * Math.floor((part * channels) / 2))
  const chosen = [...new Set([channel, ...others])].slice(0, 4)
  const series = chosen.map((column) => ({
    name: `channel ${column}`,
    isChosen: column === channel,
    values: Array.from({ length }, (_, row) => values[row * channels + column]),
  }))
  const wave = 2 * Math.PI * 10_000 ** ((2 * Math.floor(channel / 2)) / channels)
  const title = `Channels ${chosen.join(', ')} over the positions`
  return (
    <>
      <Chart {...{ title, series, from: offset, xName: 'position' }} />
      <p class="note">
        Channel {channel} repeats every {counted(Math.round(wave))} tokens (base 10,000).
      </p>
    </>
  )
}

/** Arrows that are drawn: more would hide one another. */
const ARROWS = 12
const CENTRE = 110
const RADIUS = 84

/** A pair of channels as an arrow that turns with the position, and what is left of a score at a distance. */
function RopePicture({ positions }: Drawn) {
  const [chosen, setPair] = useState(0)
  const { cos, sin, inv_freq } = positions.tensors
  const [length, pairs] = cos.shape
  const pair = Math.min(chosen, pairs - 1)
  const shown = Math.min(length, ARROWS)
  const score = Array.from({ length }, (_, row) => {
    const cosines = Array.from(cos.data.subarray(row * pairs, (row + 1) * pairs))
    return cosines.reduce((sum, each) => sum + each, 0) / pairs
  })
  return (
    <>
      <Slider label="pair of channels" value={pair} max={pairs - 1} onValue={setPair} />
      <div class="beside">
        <svg class="turns" viewBox="0 0 220 220" role="img" aria-label={`Pair ${pair} at ${shown} positions`}>
          <circle cx={CENTRE} cy={CENTRE} r={RADIUS} />
          {Array.from({ length: shown }, (_, row) => {
            const x = RADIUS * cos.data[row * pairs + pair]
            const y = -RADIUS * sin.data[row * pairs + pair]
            return (
              <g key={row} class={row === 0 ? 'first' : ''}>
                <line x1={CENTRE} y1={CENTRE} x2={CENTRE + x} y2={CENTRE + y} />
                <text x={CENTRE + x * 1.16} y={CENTRE + y * 1.16 + 4} text-anchor="middle">
                  {positions.offset + row}
                </text>
              </g>
            )
          })}
        </svg>
        <div>
          <p class="note">
            Each arrow is (cos, sin) of a position. Pair {pair} turns by {digitsOf(inv_freq.data[pair])}{' '}
            radians a token: a full turn every {((2 * Math.PI) / inv_freq.data[pair]).toFixed(1)} tokens.
          </p>
          {positions.offset === 0 && length > 1 ? (
            <Chart
              title="The mean of all pairs' cosines over the distance"
              series={[{ name: 'mean cosine', values: score }]}
              xName="distance"
            />
          ) : null}
        </div>
      </div>
      <div class="scrolls">
        <h3>cos</h3>
        <Heatmap
          name="cos of all pairs"
          {...{ values: cos.data, rows: length, columns: pairs, limit: 1, columnName: 'pair' }}
          rowName={(row) => `position ${positions.offset + row}`}
          cell={{ row: 0, column: pair }}
          onCell={(cell) => setPair(cell.column)}
        />
      </div>
    </>
  )
}

interface MatrixProps extends Drawn {
  readonly name: string
  readonly values: ArrayLike<number>
  /** Queries and keys. */
  readonly shape: readonly number[]
  readonly limit: number
  readonly centre?: number
}

function Matrix({ positions, shape: [rows, columns], ...props }: MatrixProps) {
  const rowName = (row: number) => `query ${positions.offset + row}`
  return <Heatmap {...{ ...props, rows, columns, rowName }} columnName="key" square />
}

/** A fan of lines, one for each head: what the last query's scores lose. Below it, one head's matrix. */
function AlibiPicture({ positions }: Drawn) {
  const [chosen, setHead] = useState(0)
  const { alibi_slopes: slopes, position_bias: bias } = positions.tensors
  const [heads, queries, keys] = bias.shape
  const head = Math.min(chosen, heads - 1)
  const matrix = (each: number) => bias.data.subarray(each * queries * keys, (each + 1) * queries * keys)
  const series = Array.from({ length: Math.min(heads, 8) }, (_, each) => ({
    name: `head ${each}`,
    isChosen: each === head,
    values: Array.from(matrix(each).subarray((queries - 1) * keys)).reverse(),
  }))
  return (
    <>
      <Slider label="head" value={head} max={heads - 1} onValue={setHead} />
      <Chart
        title="What is added to the last token's scores, over the distance"
        {...{ series, xName: 'distance' }}
      />
      <p class="note">
        Head {head} loses {digitsOf(slopes.data[head])} for each token of distance.
      </p>
      <Matrix
        name={`Added to the scores of head ${head}`}
        {...{ positions, values: matrix(head), shape: [queries, keys] }}
        limit={Math.abs(slopes.data[head]) * Math.max(1, keys - 1)}
      />
    </>
  )
}

/** A staircase from distance to bucket, the buckets as a matrix, and one head's numbers. */
function T5Picture({ positions }: Drawn) {
  const [chosen, setHead] = useState(0)
  const { relative_position_bucket: bucket, position_bias: bias } = positions.tensors
  const { shape } = bucket
  const [queries, keys] = shape
  const head = Math.min(chosen, bias.shape[0] - 1)
  const last = Array.from(bucket.data.subarray((queries - 1) * keys)).reverse()
  const values = bias.data.subarray(head * queries * keys, (head + 1) * queries * keys)
  return (
    <>
      <Chart
        title="The bucket of each distance back from the last token"
        series={[{ name: 'bucket', values: last }]}
        xName="distance back"
        steps
      />
      <Slider label="head" value={head} max={bias.shape[0] - 1} onValue={setHead} />
      <div class="beside">
        <div>
          <h3>buckets</h3>
          <Matrix
            name="Buckets"
            {...{ positions, shape, values: bucket.data }}
            limit={Math.max(1, ...bucket.data)}
          />
        </div>
        <div>
          <h3>head {head}: a number for each bucket</h3>
          <Matrix name={`Added to the scores of head ${head}`} {...{ positions, shape, values, limit: 3 }} />
        </div>
      </div>
    </>
  )
}

/** Which row of the table of distances each pair of tokens takes: diagonals, and one colour beyond the bound. */
function DistancePicture({ positions, name }: Drawn & { readonly name: string }) {
  const { data: values, shape } = positions.tensors[name]
  const own = values[positions.offset < shape[1] ? positions.offset : 0]
  const limit = Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value - own)), 1)
  return (
    <div class="beside">
      <Matrix
        name={`Rows of the table of distances (${name})`}
        {...{ positions, values, shape, limit, centre: own }}
      />
      <p class="note">
        The middle colour is the token itself, row {own}; blue and orange are tokens before and after it.
        Where a diagonal's colour no longer changes, the distance is beyond the bound and shares the last row.
      </p>
    </div>
  )
}

/** A row for each distance, from the memory's oldest token to the query itself. */
function TransformerXlPicture({ positions }: Drawn) {
  const { data: values, shape } = positions.tensors.relative_position_embeddings
  const [rows, columns] = shape
  const memory = rows - positions.length
  return (
    <>
      <p class="note">
        {memory === 0
          ? 'No memory here: distances within the window alone. position_offset or memory_length makes one.'
          : `The first ${memory} rows reach into the memory, the others lie within the window.`}
      </p>
      <div class="scrolls">
        <ChannelMap
          name="Rows by distance"
          {...{ values, rows, columns, limit: 1, row: rows - 1 }}
          rowName={(row) => `distance ${rows - 1 - row}`}
        />
      </div>
    </>
  )
}
