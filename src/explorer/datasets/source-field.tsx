import { counted } from '../draw/digits.js'
import { ChoiceField } from '../recipe/fields.js'
import { chooseDataset, datasetRecipe, datasets } from './state.js'
import { UploadField } from './upload-field.js'

/** Where the tokens come from: the text, or one of the service's datasets. Nothing where it has no such routes. */
export function SourceField() {
  const all = datasets.value
  if (all === undefined) return null
  return (
    <div class="fields source">
      {all.length === 0 ? null : (
        <ChoiceField
          name="dataset"
          label="Tokens of"
          value={datasetRecipe.value?.dataset ?? ''}
          options={[
            ['', 'the text below'],
            ...all.map(({ id, name, num_tokens: tokens }) => {
              const size = tokens === undefined ? 'mixture' : `${counted(tokens)} tokens`
              return [id, `${name ?? id.slice(0, 9)}: ${size}`] as const
            }),
          ]}
          onValue={(value) => chooseDataset(value === '' ? undefined : value)}
        />
      )}
      <UploadField />
    </div>
  )
}
