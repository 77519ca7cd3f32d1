import { ChoiceField, NumberField } from '../recipe/fields.js'
import { PACKINGS, type Packing } from './dataset-recipe.js'
import { changeDataset, datasetRecipe } from './state.js'

const ORDERS = [
  ['', 'as uploaded'],
  ['index', 'shuffled'],
] as const

/** The seed of a shuffled order, as that of texts. */
const SEED = 123

/** The recipe of a dataset's batches. */
export function DatasetFields() {
  const recipe = datasetRecipe.value
  if (recipe === undefined) return null
  const number = (name: 'context_length' | 'batch_size', hint: string) => (
    <NumberField
      {...{ name, label: name, hint }}
      min={1}
      value={recipe[name]}
      onValue={(value) => changeDataset({ [name]: value ?? 1 })}
    />
  )
  return (
    <div class="fields">
      {number('context_length', 'T')}
      {number('batch_size', 'B')}
      <ChoiceField
        name="packing"
        label="packing"
        value={recipe.packing}
        options={PACKINGS.map((each) => [each, each] as const)}
        onValue={(value) => changeDataset({ packing: value as Packing })}
      />
      <ChoiceField
        name="shuffle"
        label="order"
        value={recipe.shuffle ?? ''}
        options={ORDERS}
        onValue={(value) =>
          changeDataset(
            value === '' ? { shuffle: undefined, seed: undefined } : { shuffle: 'index', seed: SEED },
          )
        }
      />
    </div>
  )
}
