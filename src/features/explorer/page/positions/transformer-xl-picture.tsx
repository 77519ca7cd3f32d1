import type { Positions } from '../answer/answer.js'
import { Heatmap } from '../draw/heatmap.js'
import { select, selection } from '../store.js'

/** A row for each distance, from the memory's oldest token to the query itself. */
export function TransformerXlPicture({ positions }: { readonly positions: Positions }) {
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
