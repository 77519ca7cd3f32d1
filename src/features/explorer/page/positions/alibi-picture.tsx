import { useState } from 'preact/hooks'
import type { Positions } from '../answer/answer.js'
import { digitsOf } from '../draw/digits.js'
import { Heatmap } from '../draw/heatmap.js'
import { Chart } from './chart.js'
import { Slider } from './slider.js'

/** A fan of lines, one a head: what the last query's scores lose. Below it, one head's matrix. */
export function AlibiPicture({ positions }: { readonly positions: Positions }) {
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
