import { extent, ticks } from 'd3-array'
import { digitsOf } from './numbers.js'

interface Series {
  readonly name: string
  readonly values: ArrayLike<number>
  readonly isChosen?: boolean
}

interface Props {
  readonly title: string
  readonly series: readonly Series[]
  /** The first value's place. */
  readonly from?: number
  readonly xName: string
  /** Values hold until the next one: a staircase. */
  readonly steps?: boolean
  /** The values' places, if they are not the whole numbers from `from` on. */
  readonly places?: readonly number[]
  /** The scale has the values alone, and need not have 0. */
  readonly fits?: boolean
}

const WIDTH = 640
const HEIGHT = 220
const PAD = { left: 46, right: 110, top: 12, bottom: 34 }

/** Lines over whole numbers: places, distances. */
export function Chart({ title, series, from = 0, xName, steps = false, places, fits = false }: Props) {
  const count = Math.max(...series.map(({ values }) => values.length))
  const placeOf = (at: number) => places?.[at] ?? from + at
  const start = placeOf(0)
  const end = Math.max(start + 1, placeOf(count - 1))
  const x = between(start, end, PAD.left, WIDTH - PAD.right)
  const finite = series.flatMap(({ values }) => Array.from(values).filter(Number.isFinite))
  const [least = 0, most = 1] = extent(finite)
  const [low, high] = fits ? [least, most] : [Math.min(0, least), Math.max(0, most)]
  const y = between(low, low === high ? low + 1 : high, HEIGHT - PAD.bottom, PAD.top)
  const last = (values: ArrayLike<number>) => values[values.length - 1]
  const named = readable(series, (values) => y(last(values)))
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      {ticks(low, high, 4).map((tick) => (
        <g key={tick}>
          <line class="rule" x1={PAD.left} x2={WIDTH - PAD.right} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={PAD.left - 8} y={y(tick) + 4} text-anchor="end">
            {digitsOf(Math.fround(tick))}
          </text>
        </g>
      ))}
      {ticks(start, end, 8)
        .filter(Number.isInteger)
        .map((tick) => (
          <text key={tick} class="tick" x={x(tick)} y={HEIGHT - PAD.bottom + 18} text-anchor="middle">
            {tick}
          </text>
        ))}
      <text class="tick" x={WIDTH - PAD.right} y={HEIGHT - 2} text-anchor="end">
        {xName}
      </text>
      {series.map(({ name, values, isChosen }, index) => (
        <g key={name} class={`series series-${index % 5}${isChosen ? ' chosen' : ''}`}>
          <path d={pathOf(values, (at) => x(placeOf(at)), y, steps)} />
          {named.has(name) ? (
            <text x={WIDTH - PAD.right + 8} y={y(last(values)) + 4}>
              {name}
            </text>
          ) : null}
        </g>
      ))}
    </svg>
  )
}

function pathOf(
  values: ArrayLike<number>,
  x: (at: number) => number,
  y: (value: number) => number,
  steps: boolean,
): string {
  return Array.from(values, (value, at) => {
    const point = `${x(at).toFixed(1)} ${y(value).toFixed(1)}`
    if (at === 0) return `M${point}`
    return steps ? `H${x(at).toFixed(1)}V${y(value).toFixed(1)}` : `L${point}`
  }).join('')
}

/** The straight line that carries `low` to `start` and `high` to `end`. */
function between(low: number, high: number, start: number, end: number): (value: number) => number {
  return (value) => start + ((value - low) / (high - low)) * (end - start)
}

const NAME = 13

/** Names that do not hide one another: the chosen line's first. */
function readable(
  series: readonly Series[],
  end: (values: ArrayLike<number>) => number,
): ReadonlySet<string> {
  const taken: number[] = []
  const order = [...series].sort((a, b) => Number(b.isChosen ?? false) - Number(a.isChosen ?? false))
  const shown = order.filter(({ values }) => {
    const place = end(values)
    const isFree = taken.every((other) => Math.abs(other - place) >= NAME)
    if (isFree) taken.push(place)
    return isFree
  })
  return new Set(shown.map(({ name }) => name))
}

interface SliderProps {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly onValue: (value: number) => void
}

/** A whole number from 0 to `max`. */
export function Slider({ label, onValue, ...range }: SliderProps) {
  if (range.max === 0) return null
  return (
    <label class="slider">
      <span>
        {label} {range.value}
      </span>
      <input
        type="range"
        min={0}
        {...range}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
    </label>
  )
}
