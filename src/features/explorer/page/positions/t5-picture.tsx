import { useState } from 'preact/hooks'
import type { Positions } from '../answer/answer.js'
import { Heatmap } from '../draw/heatmap.js'
import { Chart } from './chart.js'
import { Slider } from './slider.js'

/** A staircase from distance to bucket, the buckets as a matrix, and one head's numbers. */
export function T5Picture({ positions }: { readonly positions: Positions }) {
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
