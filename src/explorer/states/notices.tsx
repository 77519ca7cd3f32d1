import { refresh } from '../flow.js'
import { linkNote } from '../link/page-link.js'
import { error, isLoading } from '../store.js'
import { KeyForm } from './key-form.js'
import { TooLarge } from './too-large.js'
import { secondsLeft, silentSince, state } from './waiting.js'

/**
 * What stands in the way: why, what the page does about it, and what a person can do. It stays in view wherever the page
 * is scrolled to. What stands beside a field is only spoken here.
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

/** What there is to say of a link, until it is read. */
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
