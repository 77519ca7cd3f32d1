import { digitsOf } from '../draw/digits.js'

interface Props {
  readonly sum: number
  readonly token: number
  /** Undefined: nothing is added. */
  readonly position: number | undefined
  /** Where the cell is. */
  readonly where: string
  /** The architecture, which may do more than add. */
  readonly architecture: string
}

/** The arithmetic of one cell, in the digits that the service writes. */
export function CellSum({ sum, token, position, where, architecture }: Props) {
  const isSum = Math.fround(token + (position ?? 0)) === sum
  return (
    <p class="cell-sum">
      <span class="note">{where}</span>
      <span class="equation">
        <output class="sum-value">{digitsOf(sum)}</output> {isSum ? '=' : '←'}{' '}
        <span class="token-value">{digitsOf(token)}</span>
        {position === undefined ? null : (
          <>
            {' + '}
            <span class="position-value">{digitsOf(position)}</span>
          </>
        )}
      </span>
      {isSum ? null : (
        <span class="note">
          and what {architecture} does besides: rows scaled, token types added, or the row normalized.
        </span>
      )}
    </p>
  )
}
