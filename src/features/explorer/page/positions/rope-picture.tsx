import { useState } from 'preact/hooks'
import type { Positions } from '../answer/answer.js'
import { digitsOf } from '../draw/digits.js'
import { Heatmap } from '../draw/heatmap.js'
import { Chart } from './chart.js'
import { Slider } from './slider.js'

/** Arrows that are drawn: those of more places would hide one another. */
const ARROWS = 12
const CENTRE = 110
const RADIUS = 84

/** A pair of channels as an arrow that turns with the place, and what is left of a score at a distance. */
export function RopePicture({ positions }: { readonly positions: Positions }) {
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
