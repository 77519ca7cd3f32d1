import { refresh } from '../flow.js'
import { linkNote } from '../link/page-link.js'
import { error, isLoading } from '../store.js'
import { KeyForm } from './key-form.js'
import { TooLarge } from './too-large.js'
import { secondsLeft, silentSince, state } from './waiting.js'

/**
 * The notice of a failed call: its reason, the next step of the page, and what the reader can do. It stays in view wherever the page
 * is scrolled to. An error that is shown beside a field is only spoken here.
 */
export function Notices() {
  const kind = state.value?.kind
  const panel = kind === undefined || kind === 'field' ? undefined : `notice ${kind}`
  return (
    <div class={panel === undefined ? undefined : 'in-view'}>
      <div class={panel}>
        <div role="status">
          {kind === 'offline' ? <Silent /> : null}
          {kind === 'busy' ? <p>{error.value?.message}</p> : null}
          {kind === 'refused' ? <p class="refusal">{error.value?.message}</p> : null}
          {kind === 'too-large' ? <TooLarge /> : null}
          {kind === 'field' ? <span class="only-read">{error.value?.message}</span> : null}
        </div>
        {kind === 'offline' || kind === 'busy' ? <NextTry /> : null}
        {kind === 'key' ? <KeyForm /> : null}
      </div>
    </div>
  )
}

function Silent() {
  const since = silentSince.value?.toLocaleTimeString()
  return (
    <p>
      The service has not answered since {since}. What you see is its last answer, and what you type is kept.
    </p>
  )
}

/** Counts down. Not spoken: a second is no news. */
function NextTry() {
  const seconds = secondsLeft.value ?? 0
  const words = isLoading.value || seconds === 0 ? 'Asking now …' : `Asking again in ${seconds} s.`
  return (
    <p class="next-try">
      <span>{words}</span>
      <button type="button" disabled={isLoading.value} onClick={() => void refresh()}>
        Ask now
      </button>
    </p>
  )
}

/** The recipe's text, or the button in its place. */
const RECIPE = 'form.recipe textarea, form.recipe .chip button'

/** The note about a link, until the reader closes it. */
export function LinkNote() {
  return (
    <div role="status">
      {linkNote.value === '' ? null : (
        <p class="notice">
          {linkNote.value}{' '}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              linkNote.value = ''
              // The button is gone with the note: the recipe, of which the note spoke, comes next.
              document.querySelector<HTMLElement>(RECIPE)?.focus()
            }}
          >
            Understood
          </button>
        </p>
      )}
    </div>
  )
}
