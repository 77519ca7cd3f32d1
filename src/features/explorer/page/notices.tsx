import { effect, signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Refused } from '../../../../clients/typescript/src/index.js'
import { embeddingsFields, isLong } from './calls.js'
import { cutAt, cutToFit, type State, stateOf } from './failures.js'
import { refresh } from './flow.js'
import { BATCH_OUTPUTS } from './load.js'
import { counted } from './numbers.js'
import { linkNote } from './page-link.js'
import { apiKey, attempts, change, error, isLoading, models, recipe } from './store.js'

/** How the page treats the failure of the last call; undefined: it was answered. */
const state = signal<State | undefined>(undefined)

/** Seconds until the next try, if the page waits. */
const secondsLeft = signal<number | undefined>(undefined)

const silentSince = signal<Date | undefined>(undefined)

/** Follows the failures of calls: waits and asks again if that can help, at once when the network is back. */
export function startWaiting(): void {
  let timer: ReturnType<typeof setInterval> | undefined
  effect(() => {
    const reason = error.value
    clearInterval(timer)
    // A card's own call may fail before the recipe's; it does not count as an attempt.
    const next = reason === undefined ? undefined : stateOf(reason, Math.max(1, attempts.value))
    state.value = next
    silentSince.value = next?.kind === 'offline' ? (silentSince.peek() ?? new Date()) : undefined
    secondsLeft.value = next !== undefined && 'seconds' in next ? next.seconds : undefined
    if (secondsLeft.peek() !== undefined) timer = setInterval(tick, 1000)
  })
  addEventListener('online', () => {
    if (state.value?.kind === 'offline') void refresh()
  })
}

/** A hidden page stays at its last second, and asks when it is shown. */
function tick(): void {
  const left = secondsLeft.value
  if (left === undefined || isLoading.value || (left <= 1 && document.hidden)) return
  secondsLeft.value = Math.max(0, left - 1)
  if (left <= 1) void refresh()
}

/**
 * The notice of a failed call: its reason, the next step of the page, and what the reader can do. It stays in view
 * wherever the page is scrolled to. An error that is shown beside a field is only spoken here.
 */
export function Notices() {
  const kind = state.value?.kind
  const message = error.value?.message
  const panel = kind === undefined || kind === 'field' ? undefined : `notice ${kind}`
  const since = silentSince.value?.toLocaleTimeString()
  return (
    <div class={panel === undefined ? undefined : 'in-view'}>
      <div class={panel}>
        <div role="status">
          {kind === 'offline' ? (
            <p>
              The service has not answered since {since}. What you see is its last answer, and what you type
              is kept.
            </p>
          ) : null}
          {kind === 'busy' ? <p>{message}</p> : null}
          {kind === 'refused' ? <p class="refusal">{message}</p> : null}
          {kind === 'too-large' ? <TooLarge /> : null}
          {kind === 'field' ? <span class="only-read">{message}</span> : null}
        </div>
        {kind === 'offline' || kind === 'busy' ? <NextTry /> : null}
        {kind === 'key' ? <KeyForm /> : null}
      </div>
    </div>
  )
}

/** Counts down. Not spoken: a screen reader need not tell each second. */
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
export const RECIPE = 'form.recipe textarea, form.recipe .chip button'

/** The note about a link, until the reader closes it. */
export function LinkNote() {
  const close = () => {
    linkNote.value = ''
    // The button disappears with the note: the focus goes to the recipe, which the note was about.
    document.querySelector<HTMLElement>(RECIPE)?.focus()
  }
  return (
    <div role="status">
      {linkNote.value === '' ? null : (
        <p class="notice">
          {linkNote.value}{' '}
          <button type="button" class="quiet" onClick={close}>
            Understood
          </button>
        </p>
      )}
    </div>
  )
}

/** The request with the most bytes of JSON around a text: only the tokenizer gets a long text as JSON. */
function largestFields(text: string) {
  const fields = embeddingsFields({ ...recipe.value, text }, BATCH_OUTPUTS)
  return isLong(fields) ? { text, model: recipe.value.model } : fields
}

/** Offers the text cut at what the service takes, or in half if the limit is another's, as a proxy's. */
function TooLarge() {
  const { text } = recipe.value
  const isOwn = error.value instanceof Refused && error.value.code === 'body_too_large'
  const limit = isOwn ? models.value[0]?.limits?.max_json_body_bytes : undefined
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

const UNKNOWN = 'The service does not know this key. Capital letters count.'

/** Asks for the key. All other fields keep their text. */
function KeyForm() {
  const field = useRef<HTMLInputElement>(null)
  const [refusal, setRefusal] = useState('')
  const reason = error.value
  useEffect(() => {
    if (reason !== undefined && apiKey.value !== '') setRefusal(UNKNOWN)
  }, [reason])
  useEffect(() => {
    // Does not steal focus from another field.
    if (document.activeElement === document.body) field.current?.focus({ preventScroll: true })
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    const key = (field.current as HTMLInputElement).value.trim()
    const why = whyNoKey(key)
    setRefusal(why)
    if (why !== '') return
    useKey(key)
    void refresh()
  }
  return (
    <form class="key" onSubmit={submit}>
      <label for="field-key">This service asks for a key. It stays in this tab and is in no link.</label>
      <div class="buttons">
        <input
          ref={field}
          id="field-key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          defaultValue={apiKey.value}
          aria-invalid={refusal !== ''}
          aria-describedby="refusal-key"
        />
        <button type="submit" class="primary">
          Use the key
        </button>
      </div>
      <p class="refusal" id="refusal-key">
        {refusal}
      </p>
    </form>
  )
}

/** Why a text cannot be a key; '' if it can. */
function whyNoKey(text: string): string {
  if (text === '') return 'Type the key.'
  if (/^[\x21-\x7e]+$/.test(text)) return ''
  return 'A key has letters, digits and signs of ASCII, and no space between them.'
}

/** The tab's place for its key: the storage ends with the tab, and no other tab has it. */
const NAME = 'inlet-key'

/** Takes the key that the tab has kept, if the browser keeps anything for pages. */
export function restoreKey(): void {
  try {
    apiKey.value = sessionStorage.getItem(NAME) ?? ''
  } catch {
    // Storage is switched off: the key lives as long as the page.
  }
}

/** Calls bring this key from now on; '' forgets it. */
export function useKey(key: string): void {
  apiKey.value = key
  try {
    if (key === '') sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, key)
  } catch {
    // Storage is switched off: the key lives as long as the page.
  }
}
