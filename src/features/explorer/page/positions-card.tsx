import { useState } from 'preact/hooks'
import { Card, Slider } from './card.js'
import { Chart } from './chart.js'
import { ChannelMap, Heatmap } from './heatmap.js'
import type { Answer, Positions } from './load.js'
import { cosines, counted, digitsOf, limitOf } from './numbers.js'
import { SCHEMES } from './schemes.js'
import { at, selection } from './store.js'

export function PositionsCard(current: Answer) {
  const { positions, beside, batch, rows } = current
  const gives = rows.position && { T: batch.length, C: rows.positionChannels }
  const about = SCHEMES[positions?.type ?? 'none'][0]
  return (
    <Card id="positions" title="Position rows" {...{ about: beside ? BESIDE : about, gives }}>
      {beside === undefined ? (
        <Scheme {...current} />
      ) : (
        <div class="beside">
          {[positions, beside].map((each, side) => (
            <div key={side}>
              <p>{typeof each === 'string' ? each : SCHEMES[each?.type ?? 'none'][0]}</p>
              {typeof each === 'string' ? null : <Scheme {...{ ...current, positions: each }} />}
            </div>
          ))}
        </div>
      )}
    </Card>
  )
}

const BESIDE =
  'An absolute scheme adds a row for each position. A relative one adds nothing here: it tells attention how far apart two tokens are.'

type Shown = Pick<Answer, 'positions' | 'batch' | 'model' | 'rows'>

/** What a position scheme gives. */
function Scheme({ positions, batch, model, rows }: Shown) {
  if (positions === undefined) return <p class="empty">Nothing is added, and nothing goes to attention.</p>
  const { type, offset, length, tensors } = positions
  const drawn = SCHEMES[type].slice(1)
  const size = type === 'learned_absolute' ? model.max_position_embeddings : undefined
  const end = offset + batch.length
  return (
    <>
      <p class="facts-line">
        <b>{type}</b>
        {size
          ? `: positions ${counted(offset)} to ${counted(end - 1)} of ${counted(size)}; ${counted(size - end)} rows are left, and beyond the last one there is none`
          : null}
        {length === batch.length ? '' : `; drawn for ${length} positions`}
      </p>
      {type === 'rope' ? <Turns {...positions} /> : null}
      {tensors.position_embeddings === undefined ? null : <AddedRows {...positions} limit={limitOf(rows)} />}
      {drawn.map((name) => (
        <TensorPicture key={name} {...positions} name={name} />
      ))}
    </>
  )
}

/** Rows that are added to the tokens', and how alike each two of them are. */
function AddedRows({ limit, ...positions }: Positions & { readonly limit: number }) {
  const { data, shape } = positions.tensors.position_embeddings
  const [length, channels] = shape
  const values = data as Float32Array
  const isWaves = positions.type === 'sinusoidal'
  const rowName = (row: number) => `position ${positions.offset + row}`
  return (
    <>
      <ChannelMap
        name="Position rows of the window"
        {...{ values, rowName, rows: length, columns: channels }}
        limit={isWaves ? 1 : limit}
        row={Math.min(at.value?.position ?? 0, length - 1)}
      />
      {isWaves ? <Waves {...positions} /> : null}
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

/** Four columns of the sinusoids, the selected one first. */
function Waves({ tensors, offset }: Positions) {
  const { data: values, shape } = tensors.position_embeddings
  const [length, channels] = shape
  const channel = Math.min(selection.value.channel, channels - 1)
  const others = [0, 0.1, 0.2, 0.4].map((part) => 2 * Math.floor((part * channels) / 2))
  const shown = [...new Set([channel, ...others])].slice(0, 4)
  const series = shown.map((column) => ({
    name: `channel ${column}`,
    values: Array.from({ length }, (_, row) => values[row * channels + column]),
  }))
  const wave = 2 * Math.PI * 10_000 ** ((2 * Math.floor(channel / 2)) / channels)
  return (
    <>
      <Chart
        title={`Channels ${shown.join(', ')} over the positions`}
        {...{ series, from: offset, xName: 'position' }}
      />
      <p class="note">
        Channel {channel} repeats every {counted(Math.round(wave))} tokens (base 10,000).
      </p>
    </>
  )
}

/** Arrows that are drawn: more would hide one another. */
const ARROWS = 12
const RADIUS = 84
/** Labels nearer than this would overlap. */
const LABEL = 16

/** A pair of channels as an arrow that turns with the position. */
function Turns({ tensors, offset }: Positions) {
  const [chosen, setPair] = useState(0)
  const { cos, sin, inv_freq } = tensors
  const [length, pairs] = cos.shape
  const pair = Math.min(chosen, pairs - 1)
  const turn = inv_freq.data[pair]
  const arrows = Array.from({ length: Math.min(length, ARROWS) }, (_, row) => {
    const [x, y] = [cos.data[row * pairs + pair], -sin.data[row * pairs + pair]]
    return { row, x: RADIUS * x, y: RADIUS * y }
  })
  const labelled: typeof arrows = []
  for (const arrow of arrows)
    if (labelled.every(({ x, y }) => Math.hypot(x - arrow.x, y - arrow.y) > LABEL)) labelled.push(arrow)
  return (
    <div class="beside">
      <svg
        class="turns"
        viewBox="-110 -110 220 220"
        role="img"
        aria-label={`Pair ${pair} at ${arrows.length} positions`}
      >
        <circle r={RADIUS} />
        {arrows.map(({ row, x, y }) => (
          <line key={row} class={row === 0 ? 'first' : ''} x2={x} y2={y} />
        ))}
        {labelled.map(({ row, x, y }) => (
          <text key={row} x={x * 1.16} y={y * 1.16 + 4} text-anchor="middle">
            {offset + row}
          </text>
        ))}
      </svg>
      <div>
        <Slider label={`pair of channels ${pair}`} value={pair} max={pairs - 1} onValue={setPair} />
        <p class="note">
          Each arrow is (cos, sin) of a position. Pair {pair} turns by {digitsOf(turn)} radians a token: a
          full turn every {counted(Math.round((20 * Math.PI) / turn) / 10)} tokens.
        </p>
      </div>
    </div>
  )
}

/** A tensor of the scheme: rows, or queries by keys, of which each head has its own. */
function TensorPicture({ name, offset, tensors }: Positions & { readonly name: string }) {
  const [chosen, setHead] = useState(0)
  const { shape, dtype, data } = tensors[name]
  const [heads, rows, columns] = shape.length === 3 ? shape : [1, ...shape]
  const head = Math.min(chosen, heads - 1)
  const matrix = (each: number) => data.subarray(each * rows * columns, (each + 1) * rows * columns)
  const values = matrix(head)
  const finite = Array.from(values).filter(Number.isFinite)
  const [least, most] = [Math.min(...finite), Math.max(...finite)]
  const isIndex = dtype === 'int32'
  const isMatrix = isIndex || shape.length === 3
  const range = isIndex ? (most - least) / 2 : Math.max(-least, most)
  // What the last query sees at each distance: its row of the matrix, backwards.
  const back = (each: number) => Array.from(matrix(each).subarray((rows - 1) * columns)).reverse()
  const heading = heads === 1 ? name : `${name}, head ${head}`
  const rowOf = name === 'relative_position_embeddings' ? 'distance' : isMatrix ? 'query' : 'position'
  return (
    <>
      <h3>{heading}</h3>
      <Slider label={`head ${head}`} value={head} max={heads - 1} onValue={setHead} />
      {shape.length === 3 ? (
        <Chart
          title="What is added to the last token's scores, over the distance"
          series={Array.from({ length: heads }, (_, each) => ({ name: `head ${each}`, values: back(each) }))}
          {...{ chosen: head, xName: 'distance' }}
        />
      ) : null}
      <div class="scrolls">
        <Heatmap
          name={heading}
          {...{ values, rows, columns }}
          limit={range || 1}
          centre={isIndex ? (least + most) / 2 : 0}
          rowName={(row) => `${rowOf} ${rowOf === 'distance' ? rows - 1 - row : offset + row}`}
          columnName={isMatrix ? 'key' : rowOf === 'position' ? 'pair' : 'channel'}
          square={isMatrix}
        />
      </div>
    </>
  )
}
