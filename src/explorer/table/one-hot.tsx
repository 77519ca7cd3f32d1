import { counted } from '../draw/digits.js'

/** The same lookup as a product: a vector of one 1 and V − 1 zeros, times the table. */
export function OneHot({
  id,
  size,
  channels,
}: {
  readonly id: number
  readonly size: number
  readonly channels: number
}) {
  const zeros = (count: number) => (count === 0 ? null : <span class="zeros">{counted(count)} × 0</span>)
  return (
    <div class="one-hot">
      <p class="vector">
        [ {zeros(id)} <b>1</b> {zeros(size - id - 1)} ]{' '}
        <span class="times">
          · table [{counted(size)}, {counted(channels)}] = row {counted(id)}
        </span>
      </p>
      <p class="note">
        {counted(size * channels)} multiplications, of which all but {counted(channels)} are by 0: a lookup
        gives the same numbers and takes one row. This is why an embedding layer is a linear layer without its
        multiplications.
      </p>
    </div>
  )
}
