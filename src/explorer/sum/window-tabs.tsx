import { answer, at } from '../store.js'
import { selectToken } from '../windows/select-token.js'

/** The windows whose rows are loaded: one of them is drawn. */
export function WindowTabs() {
  const current = answer.value
  if (current === undefined || current.batch.windows < 2) return null
  const { rows, batch } = current
  const chosen = at.value?.window ?? rows.first
  const place = at.value?.place ?? rows.from
  return (
    <fieldset class="tabs">
      <legend>window of the batch</legend>
      {Array.from({ length: rows.windows }, (_, index) => rows.first + index).map((window) => (
        <label key={window} class={window === chosen ? 'on' : ''}>
          <input
            type="radio"
            name="window"
            checked={window === chosen}
            onChange={() => selectToken(batch.documents[window], batch.starts[window] + place)}
          />
          {window}
        </label>
      ))}
    </fieldset>
  )
}
