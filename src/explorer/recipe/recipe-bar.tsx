import { change, models, recipe } from '../store.js'
import { ChoiceField } from './fields.js'
import { MoreFields } from './more-fields.js'
import { PositionFields } from './position-fields.js'
import { PresetButtons } from './preset-buttons.js'
import type { Recipe } from './recipe.js'
import { RecipeNumber } from './recipe-number.js'
import { TextField } from './text-field.js'

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
