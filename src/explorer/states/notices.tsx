import { refresh } from '../flow.js'
import { linkNote } from '../link/page-link.js'
import { answer, error, isLoading } from '../store.js'
import { KeyForm } from './key-form.js'
import { TooLarge } from './too-large.js'
import { secondsLeft, silentSince, state } from './waiting.js'

/** What stands in the way, above the cards: why, what the page does about it, and what a person can do. */
export function Notices() {
  const kind = state.value?.kind
  return (
    <div class="notices">
      <div role="status">
        {kind === 'offline' ? <Silent /> : null}
        {kind === 'busy' ? <p>{error.value?.message}</p> : null}
        {kind === 'refused' ? <p class="refusal">{error.value?.message}</p> : null}
        {kind === 'too-large' ? <TooLarge /> : null}
      </div>
      {kind === 'offline' || kind === 'busy' ? <NextTry /> : null}
      {kind === 'key' ? <KeyForm key={error.value} /> : null}
      <LinkNote />
    </div>
  )
}

function Silent() {
  const since = silentSince.value?.toLocaleTimeString()
  return (
    <p>
      The service has not answered since {since}.{' '}
      {answer.value === undefined
        ? 'Is it running?'
        : 'What you see is its last answer, and what you type is kept.'}
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

function LinkNote() {
  return (
    <div role="status">
      {linkNote.value === '' ? null : (
        <p>
          {linkNote.value}{' '}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              linkNote.value = ''
            }}
          >
            Good
          </button>
        </p>
      )}
    </div>
  )
}
