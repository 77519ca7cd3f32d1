import { counted } from '../draw/digits.js'
import { change, recipe } from '../store.js'
import { LONG_TEXT } from './calls.js'
import { Field } from './fields.js'

/** The text, or, of a long one, its size: a text box of a megabyte would stall the page. */
export function TextField() {
  const { text, documents } = recipe.value
  const name = documents === 'ids' ? 'input_ids' : 'text'
  const label = documents === 'ids' ? 'Ids' : 'Text'
  if (text.length > LONG_TEXT) {
    return (
      <Field name={name} label={label}>
        <p class="chip" id={`field-${name}`}>
          {counted(text.length)} characters: <q>{text.slice(0, 60)}…</q>
          <button type="button" onClick={() => change({ text: text.slice(0, LONG_TEXT) })}>
            Edit the first {counted(LONG_TEXT)}
          </button>
        </p>
      </Field>
    )
  }
  return (
    <Field name={name} label={label}>
      <textarea
        id={`field-${name}`}
        rows={Math.min(6, Math.max(2, text.split('\n').length))}
        spellcheck={false}
        value={text}
        aria-describedby={`refusal-${name}`}
        onInput={({ currentTarget }) => change({ text: currentTarget.value })}
      />
    </Field>
  )
}
