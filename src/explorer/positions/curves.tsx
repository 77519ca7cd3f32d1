import { counted } from '../draw/digits.js'
import { Chart } from './chart.js'

interface Props {
  readonly rows: Float32Array
  readonly length: number
  readonly channels: number
  readonly channel: number
  readonly offset: number
}

/** Four columns of the sinusoids, the selected one among them. */
export function Curves({ rows, length, channels, channel, offset }: Props) {
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
