import { counted } from '../draw/digits.js'
import { change, models, recipe, selection } from '../store.js'
import { LONG_TEXT } from './calls.js'
import { ChoiceField, Field } from './fields.js'
import { MoreFields } from './more-fields.js'
import { PositionFields } from './position-fields.js'
import { presets } from './presets.js'
import type { Recipe } from './recipe.js'
import { RecipeNumber } from './recipe-number.js'

const DOCUMENTS = [
  ['one', 'one document'],
  ['lines', 'one a line'],
  ['ids', 'ids, not text'],
] as const

const TAILS = [
  ['drop', 'drop'],
  ['pad', 'pad'],
] as const

/** The form of the recipe: the text, and how it is cut, placed and batched. */
export function RecipeBar() {
  const { documents, model, tail } = recipe.value
  const models_ = models.value.map(
    ({ id, state }) => [id, state === 'failed' ? `${id} (failed)` : id] as const,
  )
  return (
    <form class="recipe" aria-label="Recipe" onSubmit={(event) => event.preventDefault()}>
      <PresetButtons />
      <TextField />
      <div class="fields">
        <ChoiceField
          name="documents"
          label="Documents"
          value={documents}
          options={DOCUMENTS}
          onValue={(value) => change({ documents: value as Recipe['documents'] })}
        />
        <RecipeNumber name="context_length" hint="T" min={1} placeholder="whole text" />
        <RecipeNumber name="stride" min={1} placeholder="T" />
        <ChoiceField
          name="tail"
          label="tail"
          value={tail ?? 'drop'}
          options={TAILS}
          onValue={(value) => change({ tail: value === 'pad' ? 'pad' : undefined })}
        />
        <RecipeNumber name="batch_size" hint="B" min={1} empty={1} />
        {models_.length > 1 ? (
          <ChoiceField
            name="model"
            label="model"
            value={model ?? models_[0][0]}
            options={models_}
            onValue={(value) => change({ model: value })}
          />
        ) : null}
        <PositionFields />
      </div>
      <MoreFields />
    </form>
  )
}

/** Recipes to begin with. One whose model the service has not is left out. */
function PresetButtons() {
  const shown = presets.filter(
    ({ recipe: { model } }) => model === undefined || models.value.some(({ id }) => id === model),
  )
  const chosen = shown.find((preset) => preset.recipe === recipe.value)
  return (
    <>
      <fieldset class="presets">
        <legend>Begin with</legend>
        {shown.map((preset) => (
          <button
            key={preset.name}
            type="button"
            aria-pressed={recipe.value === preset.recipe}
            onClick={() => {
              selection.value = { document: 0, token: 1, channel: 0 }
              recipe.value = preset.recipe
            }}
          >
            {preset.name}
          </button>
        ))}
      </fieldset>
      {chosen === undefined ? null : <p class="note preset-about">{chosen.about}</p>}
    </>
  )
}

/** The text, or, of a long one, its size: a text box of a megabyte would stall the page. */
function TextField() {
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
