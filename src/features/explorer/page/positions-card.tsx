import { useState } from 'preact/hooks'
import type { Positions } from './answer.js'
import { Card } from './card.js'
import { Chart, Slider } from './chart.js'
import { Heatmap } from './heatmap.js'
import { cosines, counted, digitsOf, limitOf } from './numbers.js'
import type { PositionType } from './recipe.js'
import { answer, at, model, select, selection } from './store.js'

/** The schemes that give tensors. */
type Drawn = Exclude<PositionType, 'none'>

/** Of each scheme: what it does, in a sentence, and its picture. */
const PICTURES: Readonly<
  Record<Drawn, { about: string; picture: (positions: Positions) => preact.JSX.Element }>
> = {
  learned_absolute: {
    about:
      'A second table, with a row for each place. Attention cannot see order: these rows say “I am token 5”.',
    picture: (positions) => <AddedPicture positions={positions} />,
  },
  sinusoidal: {
    about:
      'Sines and cosines with ever longer waves. Nothing is learned, and there is a row for every place.',
    picture: (positions) => <AddedPicture positions={positions} curves />,
  },
  rope: {
    about:
      'Each pair of channels of queries and keys is turned by an angle that grows with the place. Rows stay as they are.',
    picture: (positions) => <RopePicture positions={positions} />,
  },
  alibi: {
    about: 'A score loses a little for each token of distance, and each head loses at its own rate.',
    picture: (positions) => <AlibiPicture positions={positions} />,
  },
  t5: {
    about:
      'Distances share buckets: near ones have one each, far ones share. Each head learns a number for each bucket.',
    picture: (positions) => <T5Picture positions={positions} />,
  },
  shaw: {
    about: 'A learned vector for each distance, the same for all distances beyond a bound.',
    picture: (positions) => <DistancePicture positions={positions} name="relative_position_index" />,
  },
  transformer_xl: {
    about: 'A sinusoid of the distance, from a memory of earlier tokens to the window’s own.',
    picture: (positions) => <TransformerXlPicture positions={positions} />,
  },
  deberta: {
    about: 'Content and position are kept apart: a learned vector for each distance, compared both ways.',
    picture: (positions) => <DistancePicture positions={positions} name="c2p_index" />,
  },
}

/** The position scheme, in a picture of its own. */
export function PositionsCard() {
  const current = answer.value
  if (current === undefined) return null
  const { positions, batch, rows } = current
  if (positions === undefined) {
    return (
      <Card
        id="positions"
        title="Position rows"
        about="No scheme: the rows do not say where they stand, and a shuffled sentence has the same rows, shuffled. Some models learn the order from the causal mask alone."
      >
        <p class="empty">Nothing is added, and nothing goes to attention.</p>
      </Card>
    )
  }
  const { about, picture } = PICTURES[positions.type as Drawn]
  return (
    <Card
      id="positions"
      title="Position rows"
      about={about}
      gives={
        rows.position === undefined
          ? undefined
          : [
              ['T', batch.length],
              ['C', rows.positionChannels],
            ]
      }
    >
      <p class="facts-line">
        <b>{positions.type}</b>
        {positions.type === 'learned_absolute' ? <Left /> : null}
        {positions.length === batch.length ? '' : `; drawn for ${positions.length} places`}
      </p>
      {picture(positions)}
    </Card>
  )
}

/** How much of the learned table the window uses. */
function Left() {
  const size = model.value?.max_position_embeddings
  const { batch, positions } = answer.value as NonNullable<typeof answer.value>
  if (!size || positions === undefined) return null
  const end = positions.offset + batch.length
  return (
    <>
      : places {counted(positions.offset)} to {counted(end - 1)} of {counted(size)}; {counted(size - end)}{' '}
      rows are left, and beyond the last one there is none
    </>
  )
}

interface Props {
  readonly positions: Positions
  /** The tensor of indices into the table of distances. */
  readonly name: string
}

/** Which row of the table of distances each pair of tokens takes: diagonals, and one colour beyond the bound. */
function DistancePicture({ positions, name }: Props) {
  const { data: values, shape } = positions.tensors[name]
  const [queries, keys] = shape
  const own = values[positions.offset < keys ? positions.offset : 0]
  const most = Array.from(values).reduce((limit, value) => Math.max(limit, Math.abs(value - own)), 1)
  return (
    <div class="beside">
      <Heatmap
        name={`Rows of the table of distances (${name})`}
        values={values}
        rows={queries}
        columns={keys}
        limit={most}
        centre={own}
        rowName={(row) => `query ${positions.offset + row}`}
        columnName="key"
        square
      />
      <p class="note">
        The middle colour is the token itself, row {own}; blue and orange are tokens before and after it.
        Where a diagonal's colour no longer changes, the distance is beyond the bound and shares the last row.
      </p>
    </div>
  )
}

/** Rows that are added to the tokens': the rows, and how alike each two of them are. */
function AddedPicture({
  positions,
  curves = false,
}: {
  readonly positions: Positions
  readonly curves?: boolean
}) {
  const { data: values, shape } = positions.tensors.position_embeddings
  const [length, channels] = shape
  const rows = values as Float32Array
  const channel = Math.min(selection.value.channel, channels - 1)
  const row = Math.min(at.value?.place ?? 0, length - 1)
  const name = (place: number) => `place ${positions.offset + place}`
  const shown = answer.value?.rows
  return (
    <>
      <div class="scrolls">
        <Heatmap
          name="Position rows of the window"
          values={rows}
          rows={length}
          columns={channels}
          limit={curves || shown === undefined ? 1 : limitOf(shown)}
          rowName={name}
          cell={{ row, column: channel }}
          onCell={(cell) => select({ channel: cell.column })}
        />
      </div>
      {curves ? <Curves {...{ rows, length, channels, channel, offset: positions.offset }} /> : null}
      {length < 2 ? null : (
        <div class="beside">
          <Matrix values={rows} {...{ length, channels, name }} />
          <p class="note">
            The cosine of each two rows. Drawn at random, a row is like none but itself: only the diagonal
            stands out. Learned or sinusoidal, neighbours are alike, and bands appear.
          </p>
        </div>
      )}
    </>
  )
}

interface MatrixProps {
  readonly values: Float32Array
  readonly length: number
  readonly channels: number
  readonly name: (place: number) => string
}

function Matrix({ values, length, channels, name }: MatrixProps) {
  return (
    <Heatmap
      name="Cosines of the position rows"
      values={cosines(values, length, channels)}
      rows={length}
      columns={length}
      limit={1}
      rowName={name}
      columnName="place"
      square
    />
  )
}

interface CurveProps {
  readonly rows: Float32Array
  readonly length: number
  readonly channels: number
  readonly channel: number
  readonly offset: number
}

/** Four columns of the sinusoids, the selected one among them. */
function Curves({ rows, length, channels, channel, offset }: CurveProps) {
  const chosen = [
    ...new Set([channel, ...[0, 0.1, 0.2, 0.4].map((part) => 2 * Math.floor((part * channels) / 2))]),
  ].slice(0, 4)
  const series = chosen.map((column) => ({
    name: `channel ${column}`,
    isChosen: column === channel,
    values: Array.from({ length }, (_, row) => rows[row * channels + column]),
  }))
  const wave = 2 * Math.PI * 10_000 ** ((2 * Math.floor(channel / 2)) / channels)
  return (
    <>
      <Chart
        title={`Channels ${chosen.join(', ')} over the places`}
        {...{ series, from: offset, xName: 'place' }}
      />
      <p class="note">
        Channel {channel} repeats every {counted(Math.round(wave))} tokens (base 10,000).
      </p>
    </>
  )
}

/** Arrows that are drawn: those of more places would hide one another. */
const ARROWS = 12
const CENTRE = 110
const RADIUS = 84

/** A pair of channels as an arrow that turns with the place, and what is left of a score at a distance. */
function RopePicture({ positions }: { readonly positions: Positions }) {
  const [chosen, setPair] = useState(0)
  const { cos, sin, inv_freq } = positions.tensors
  const [length, pairs] = cos.shape
  const pair = Math.min(chosen, pairs - 1)
  const shown = Math.min(length, ARROWS)
  const score = Array.from({ length }, (_, row) => {
    let sum = 0
    for (let each = 0; each < pairs; each++) sum += cos.data[row * pairs + each]
    return sum / pairs
  })
  return (
    <>
      <Slider label="pair of channels" value={pair} max={pairs - 1} onValue={setPair} />
      <div class="beside">
        <svg class="turns" viewBox="0 0 220 220" role="img" aria-label={`Pair ${pair} at ${shown} places`}>
          <circle cx={CENTRE} cy={CENTRE} r={RADIUS} />
          {Array.from({ length: shown }, (_, row) => {
            const x = CENTRE + RADIUS * cos.data[row * pairs + pair]
            const y = CENTRE - RADIUS * sin.data[row * pairs + pair]
            return (
              <g key={row} class={row === 0 ? 'first' : ''}>
                <line x1={CENTRE} y1={CENTRE} x2={x} y2={y} />
                <text
                  x={CENTRE + (x - CENTRE) * 1.16}
                  y={CENTRE + (y - CENTRE) * 1.16 + 4}
                  text-anchor="middle"
                >
                  {positions.offset + row}
                </text>
              </g>
            )
          })}
        </svg>
        <div>
          <p class="note">
            Each arrow is (cos, sin) of a place. Pair {pair} turns by {digitsOf(inv_freq.data[pair])} radians
            a token: a full turn every {((2 * Math.PI) / inv_freq.data[pair]).toFixed(1)} tokens.
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
          values={cos.data}
          rows={length}
          columns={pairs}
          limit={1}
          rowName={(row) => `place ${positions.offset + row}`}
          columnName="pair"
          cell={{ row: 0, column: pair }}
          onCell={(cell) => setPair(cell.column)}
        />
      </div>
    </>
  )
}

/** A fan of lines, one a head: what the last query's scores lose. Below it, one head's matrix. */
function AlibiPicture({ positions }: { readonly positions: Positions }) {
  const [chosen, setHead] = useState(0)
  const { alibi_slopes: slopes, position_bias: bias } = positions.tensors
  const [heads, queries, keys] = bias.shape
  const head = Math.min(chosen, heads - 1)
  const matrix = (each: number) => bias.data.subarray(each * queries * keys, (each + 1) * queries * keys)
  const last = (each: number) => Array.from(matrix(each).subarray((queries - 1) * keys)).reverse()
  const series = Array.from({ length: Math.min(heads, 8) }, (_, each) => ({
    name: `head ${each}`,
    isChosen: each === head,
    values: last(each),
  }))
  const most = Math.abs(slopes.data[head]) * Math.max(1, keys - 1)
  return (
    <>
      <Slider label="head" value={head} max={heads - 1} onValue={setHead} />
      <Chart
        title="What is added to the last token's scores, over the distance"
        series={series}
        xName="distance"
      />
      <p class="note">
        Head {head} loses {digitsOf(slopes.data[head])} for each token of distance.
      </p>
      <Heatmap
        name={`Added to the scores of head ${head}`}
        values={matrix(head)}
        rows={queries}
        columns={keys}
        limit={most}
        rowName={(row) => `query ${positions.offset + row}`}
        columnName="key"
        square
      />
    </>
  )
}

/** A staircase from distance to bucket, the buckets as a matrix, and one head's numbers. */
function T5Picture({ positions }: { readonly positions: Positions }) {
  const [chosen, setHead] = useState(0)
  const { relative_position_bucket: bucket, position_bias: bias } = positions.tensors
  const [queries, keys] = bucket.shape
  const head = Math.min(chosen, bias.shape[0] - 1)
  const last = Array.from(bucket.data.subarray((queries - 1) * keys)).reverse()
  const matrix = { rows: queries, columns: keys, columnName: 'key', square: true }
  const rowName = (row: number) => `query ${positions.offset + row}`
  const size = queries * keys
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
          <Heatmap
            name="Buckets"
            values={bucket.data}
            limit={Math.max(1, ...bucket.data)}
            {...{ ...matrix, rowName }}
          />
        </div>
        <div>
          <h3>head {head}: a number for each bucket</h3>
          <Heatmap
            name={`Added to the scores of head ${head}`}
            values={bias.data.subarray(head * size, (head + 1) * size)}
            limit={3}
            {...{ ...matrix, rowName }}
          />
        </div>
      </div>
    </>
  )
}

/** A row for each distance, from the memory's oldest token to the query itself. */
function TransformerXlPicture({ positions }: { readonly positions: Positions }) {
  const { data: values, shape } = positions.tensors.relative_position_embeddings
  const [distances, channels] = shape
  const memory = distances - positions.length
  return (
    <>
      <p class="note">
        {memory === 0
          ? 'No memory here: distances within the window alone. position_offset or memory_length makes one.'
          : `The first ${memory} rows reach into the memory, the others lie within the window.`}
      </p>
      <div class="scrolls">
        <Heatmap
          name="Rows by distance"
          values={values}
          rows={distances}
          columns={channels}
          limit={1}
          rowName={(row) => `distance ${distances - 1 - row}`}
          cell={{ row: distances - 1, column: Math.min(selection.value.channel, channels - 1) }}
          onCell={(cell) => select({ channel: cell.column })}
        />
      </div>
    </>
  )
}
