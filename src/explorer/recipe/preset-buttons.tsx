import { models, recipe, selection } from '../store.js'
import { presets } from './presets.js'

/** Recipes to begin with. One whose model the service has not is left out. */
export function PresetButtons() {
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
