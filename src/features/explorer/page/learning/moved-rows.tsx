import { counted, digitsOf } from '../draw/digits.js'
import { MeterLine } from '../draw/meter-line.js'
import { answer, model } from '../store.js'
import { movesOf } from './history.js'
import { history } from './look.js'
import { tokenRows } from './token-rows.js'

/** Rows that are named. */
const NAMED = 12

/** Which of the rows on screen the last version has moved, and how far. */
export function MovedRows() {
  const [before, after] = history.value.snapshots.slice(-2)
  const current = answer.value
  if (after === undefined || current === undefined) {
    return <p class="empty">No step since this page was opened.</p>
  }
  const { compared, moves } = movesOf(before, after)
  const names = new Map(tokenRows(current).map(({ id, name }) => [id, name]))
  const named = moves.filter(({ id }) => names.has(id)).slice(0, NAMED)
  const size = model.value?.vocab_size
  return (
    <>
      <h3>
        from version {before.version} to {after.version}
      </h3>
      <p>
        <b>{moves.length}</b> of the {compared} token rows on screen moved
        {size === undefined ? '' : `; the table has ${counted(size)}`}.
      </p>
      <div class="measures">
        {named.map(({ id, norm }) => (
          <MeterLine
            key={id}
            name={names.get(id) as string}
            label={`Norm of the move of ${names.get(id)}`}
            value={norm}
            most={moves[0].norm || 1}
            digits={short(norm)}
          />
        ))}
      </div>
      {moves.length > named.length ? <p class="note">and {moves.length - named.length} others</p> : null}
    </>
  )
}

/** A norm in three digits. */
export function short(norm: number): string {
  return digitsOf(Math.fround(Number(norm.toPrecision(3))))
}
