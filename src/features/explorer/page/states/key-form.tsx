import { useEffect, useRef, useState } from 'preact/hooks'
import { refresh } from '../flow.js'
import { apiKey, error } from '../store.js'
import { useKey, whyNoKey } from './key.js'

const UNKNOWN = 'The service does not know this key. Capital letters count.'

/** Asks for the key. All other fields keep their text. */
export function KeyForm() {
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
  return (
    <form
      class="key"
      onSubmit={(event) => {
        event.preventDefault()
        const key = (field.current as HTMLInputElement).value.trim()
        const why = whyNoKey(key)
        setRefusal(why ?? '')
        if (why !== undefined) return
        useKey(key)
        void refresh()
      }}
    >
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
