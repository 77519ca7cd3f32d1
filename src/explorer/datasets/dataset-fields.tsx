import { ChoiceField, NumberField } from '../recipe/fields.js'
import { PACKINGS } from './dataset-recipe.js'
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
  const count = (name: 'epoch' | 'rank' | 'world_size', standard: 0 | 1) => (
    <NumberField
      {...{ name, label: name }}
      min={standard}
      placeholder={String(standard)}
      value={recipe[name]}
      onValue={(value) => changeDataset({ [name]: value })}
    />
  )
  const choice = (name: 'packing' | 'tail' | 'long_documents', values: readonly string[]) => (
    <ChoiceField
      {...{ name, label: name }}
      value={recipe[name] ?? values[0]}
      options={values.map((each) => [each, each] as const)}
      onValue={(value) => changeDataset({ [name]: value })}
    />
  )
  return (
    <div class="fields">
      {number('context_length', 'T')}
      {number('batch_size', 'B')}
      {choice('packing', PACKINGS)}
      {recipe.packing === 'best_fit' ? choice('long_documents', ['split', 'truncate']) : null}
      {choice('tail', ['pad', 'drop'])}
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
      {count('epoch', 0)}
      {count('rank', 0)}
      {count('world_size', 1)}
    </div>
  )
}
