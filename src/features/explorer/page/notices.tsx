import { Refused } from '../../../../clients/typescript/src/index.js'
import { apiKey, mayPass, refresh } from './flow.js'
import { linkNote } from './link.js'
import { error } from './store.js'

/** What stands in the way: a link without its text, or the reason of a failed call. It stays in view. */
export function Notices() {
  const reason = error.value
  const asksForKey = reason instanceof Refused && reason.status === 401
  return (
    <div class="notices">
      <div role="status">
        {linkNote.value === '' ? null : <p class="notice">{linkNote.value}</p>}
        {reason === undefined || asksForKey ? null : (
          <p class="notice bad">
            {reason instanceof Refused ? reason.message : 'The service does not answer.'}{' '}
            {mayPass(reason) ? 'What you see is its last answer; it is asked again in some seconds.' : ''}
          </p>
        )}
      </div>
      {asksForKey ? <KeyForm /> : null}
    </div>
  )
}

/** Asks for the key. All other fields keep their text. */
function KeyForm() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    apiKey.value = String(new FormData(event.currentTarget as HTMLFormElement).get('key'))
    void refresh()
  }
  return (
    <form class="notice key" onSubmit={submit}>
      <label>
        This service asks for a key. It stays in this tab and is in no link.{' '}
        <input
          name="key"
          type="password"
          autocomplete="off"
          required
          pattern="[!-~]+"
          title="Letters, digits and signs of ASCII, without spaces"
        />
      </label>{' '}
      <button type="submit" class="primary">
        Use the key
      </button>
      {apiKey.value === '' ? null : (
        <p class="refusal">The service does not know this key. Capital letters count.</p>
      )}
    </form>
  )
}
