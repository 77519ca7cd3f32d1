import { digitsOf } from '../draw/digits.js'

interface Props {
  readonly sum: number
  readonly token: number
  /** Undefined: nothing is added. */
  readonly position: number | undefined
  /** Where the cell is. */
  readonly where: string
}

/** The arithmetic of one cell, in the digits that the service writes. */
export function CellSum({ sum, token, position, where }: Props) {
  return (
    <p class="cell-sum">
      <span class="note">{where}</span>
      <span class="equation">
        <output class="sum-value">{digitsOf(sum)}</output> ={' '}
        <span class="token-value">{digitsOf(token)}</span>
        {position === undefined ? null : (
          <>
            {' '}
            + <span class="position-value">{digitsOf(position)}</span>
          </>
        )}
      </span>
    </p>
  )
}
