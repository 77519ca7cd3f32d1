import type { Positions } from '../answer/answer.js'
import { cosines } from '../draw/cosine.js'
import { counted } from '../draw/digits.js'
import { Heatmap } from '../draw/heatmap.js'
import { answer, at, select, selection } from '../store.js'
import { limitOf } from '../sum/limit.js'
import { Chart } from './chart.js'

/** Rows that are added to the tokens': the rows, and how alike each two of them are. */
export function AddedPicture({
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

interface Props {
  readonly rows: Float32Array
  readonly length: number
  readonly channels: number
  readonly channel: number
  readonly offset: number
}

/** Four columns of the sinusoids, the selected one among them. */
function Curves({ rows, length, channels, channel, offset }: Props) {
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
