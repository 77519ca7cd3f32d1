import type { Positions } from '../answer/answer.js'
import { Heatmap } from '../draw/heatmap.js'

interface Props {
  readonly positions: Positions
  /** The tensor of indices into the table of distances. */
  readonly name: string
}

/** Which row of the table of distances each pair of tokens takes: diagonals, and one colour beyond the bound. */
export function DistancePicture({ positions, name }: Props) {
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
