import type { Architecture } from '../../../../../clients/typescript/src/index.js'
import { change, model, recipe, refusedField } from '../store.js'
import { ARCHITECTURES } from './architectures.js'
import { ChoiceField } from './fields.js'
import { RecipeNumber } from './recipe-number.js'

const ORDERS = [
  ['', 'as in the text'],
  ['shuffle', 'shuffled'],
] as const

/** Fields of this part: it opens where one of them is refused. */
const FIELDS: readonly (string | null | undefined)[] = [
  'shuffle',
  'seed',
  'pad_token_id',
  'position_offset',
  'architecture',
]

/** The seed that an order is drawn from, where none is written. */
const SEED = 123

/** Fields that are used less often. */
export function MoreFields() {
  const { shuffle, seed, architecture } = recipe.value
  const own = model.value?.architecture
  return (
    <details class="more" open={FIELDS.includes(refusedField.value) || undefined}>
      <summary>More</summary>
      <div class="fields">
        <ChoiceField
          name="shuffle"
          label="order"
          value={shuffle ? 'shuffle' : ''}
          options={ORDERS}
          onValue={(value) =>
            change(
              value === '' ? { shuffle: undefined, seed: undefined } : { shuffle: true, seed: seed ?? SEED },
            )
          }
        />
        {shuffle ? <RecipeNumber name="seed" min={0} empty={SEED} /> : null}
        <RecipeNumber
          name="pad_token_id"
          min={0}
          placeholder={model.value?.pad_token_id == null ? 'none' : 'the model’s'}
        />
        <RecipeNumber name="position_offset" min={0} placeholder="0" />
        <ChoiceField
          name="architecture"
          label="architecture"
          value={architecture ?? ''}
          options={[
            ['', own === undefined ? 'the model’s' : `the model’s: ${own}`],
            ...Object.keys(ARCHITECTURES).map((each) => [each, each] as const),
          ]}
          onValue={(value) => change({ architecture: value === '' ? undefined : (value as Architecture) })}
        />
      </div>
    </details>
  )
}
