import { digitsOf } from './numbers.js'

interface Props {
  readonly title: string
  readonly series: readonly { readonly name: string; readonly values: ArrayLike<number> }[]
  /** The number of the line that is drawn bold. */
  readonly chosen?: number
  /** The whole number of the first value. */
  readonly from?: number
  readonly xName: string
}

const WIDTH = 400
const HEIGHT = 180
const PAD = { left: 52, right: 8, top: 10, bottom: 34 }

/** Lines over whole numbers: positions, distances. Their names stand below. */
export function Chart({ title, series, chosen = 0, from = 0, xName }: Props) {
  const last = Math.max(1, ...series.map(({ values }) => values.length - 1))
  const finite = series.flatMap(({ values }) => Array.from(values).filter(Number.isFinite))
  const low = Math.min(0, ...finite)
  const high = Math.max(0, ...finite) || (low < 0 ? 0 : 1)
  const x = (at: number) => PAD.left + (at / last) * (WIDTH - PAD.left - PAD.right)
  const y = (value: number) => PAD.top + ((high - value) / (high - low)) * (HEIGHT - PAD.top - PAD.bottom)
  const bottom = HEIGHT - PAD.bottom
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {[...new Set([low, 0, high])].map((tick) => (
          <g key={tick}>
            <line x1={PAD.left} x2={WIDTH - PAD.right} y1={y(tick)} y2={y(tick)} />
            <text x={PAD.left - 8} y={y(tick) + 4} text-anchor="end">
              {digitsOf(Math.fround(Number(tick.toPrecision(3))))}
            </text>
          </g>
        ))}
        {[0, Math.round(last / 2), last].map((at) => (
          <text key={at} x={x(at)} y={bottom + 18} text-anchor={at === last ? 'end' : 'middle'}>
            {from + at}
          </text>
        ))}
        <text x={(PAD.left + WIDTH) / 2} y={HEIGHT - 2} text-anchor="middle">
          {xName}
        </text>
        {series.map(({ name, values }, index) => (
          <polyline
            key={name}
            class={`series-${index % 5}${index === chosen ? ' chosen' : ''}`}
            points={Array.from(values, (value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
          />
        ))}
      </svg>
      <figcaption>
        {series.map(({ name }, index) => (
          <span key={name} class={`series-${index % 5}${index === chosen ? ' chosen' : ''}`}>
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
