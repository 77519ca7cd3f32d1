import { refresh } from '../flow.js'
import { apiKey } from '../store.js'
import { useKey } from './key.js'

/** Tells where the key is kept, if there is one. */
export function KeyNote() {
  if (apiKey.value === '') return null
  return (
    <p class="note">
      Your key is in none of these lines: they read it from <code>INLET_API_KEY</code>.{' '}
      <button
        type="button"
        class="quiet"
        onClick={() => {
          useKey('')
          void refresh()
        }}
      >
        Forget the key
      </button>
    </p>
  )
}
