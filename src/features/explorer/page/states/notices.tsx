import { Refused } from '../../../../../clients/typescript/src/index.js'
import { BATCH_OUTPUTS } from '../answer/load.js'
import { counted } from '../draw/digits.js'
import { refresh } from '../flow.js'
import { linkNote } from '../link/page-link.js'
import { embeddingsFields, isLong, tokenizeFields } from '../recipe/calls.js'
import { change, error, isLoading, models, recipe } from '../store.js'
import { cutAt, cutToFit } from './cut.js'
import { KeyForm } from './key-form.js'
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

/** The request with the most bytes of JSON around a text: a long one goes to the tokenizer alone as JSON. */
function largestFields(text: string) {
  const fields = embeddingsFields({ ...recipe.value, text }, BATCH_OUTPUTS)
  return isLong(fields) ? tokenizeFields(recipe.value, text) : fields
}

/** Offers the text cut at what the service takes, or in half where the limit is another's, as a proxy's. */
function TooLarge() {
  const { text } = recipe.value
  const limit =
    error.value instanceof Refused && error.value.code === 'body_too_large'
      ? models.value[0]?.limits?.max_json_body_bytes
      : undefined
  const cut = () =>
    limit === undefined ? cutAt(text, text.length >> 1) : cutToFit(text, limit, largestFields)
  return (
    <>
      <p>{error.value?.message} Nothing is cut yet.</p>
      <button type="button" onClick={() => change({ text: cut() })}>
        {limit === undefined ? 'Keep the first half' : `Keep what fits into ${counted(limit)} bytes`}
      </button>
    </>
  )
}
