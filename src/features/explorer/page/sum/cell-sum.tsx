import { digitsOf } from '../draw/digits.js'

interface Props {
  readonly sum: number
  /** Undefined: the model projects rows, and no channel of the sum is one of the token's row alone. */
  readonly token: number | undefined
  /** Undefined: nothing is added. */
  readonly position: number | undefined
  /** The numbers of a row of the table, and of an input embedding, where the model makes these of those. */
  readonly projects?: readonly [number, number] | undefined
  /** Where the cell is. */
  readonly where: string
  /** The architecture, which may do more than add. */
  readonly architecture: string
}

/** The arithmetic of one cell, in the digits that the service writes. */
export function CellSum({ sum, token, position, projects, where, architecture }: Props) {
  const isSum = token !== undefined && Math.fround(token + (position ?? 0)) === sum
  return (
    <p class="cell-sum">
      <span class="note">{where}</span>
      <span class="equation">
        <output class="sum-value">{digitsOf(sum)}</output>
        {token === undefined ? null : (
          <>
            {isSum ? ' = ' : ' ← '}
            <span class="token-value">{digitsOf(token)}</span>
            {position === undefined ? null : (
              <>
                {' + '}
                <span class="position-value">{digitsOf(position)}</span>
              </>
            )}
          </>
        )}
      </span>
      {token === undefined && projects !== undefined ? (
        <span class="note">
          {architecture} makes {projects[1]} numbers of the {projects[0]} in a row of its table, by a matrix
          of its own: each has a part of all of them.
        </span>
      ) : null}
      {isSum || token === undefined ? null : (
        <span class="note">
          and what {architecture} does besides: rows scaled, token types added, or the row normalized.
        </span>
      )}
    </p>
  )
}
