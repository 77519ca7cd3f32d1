import { change, recipe } from '../store.js'
import { NumberField } from './fields.js'

interface Props {
  /** The recipe's field, which is also its label. */
  readonly name: 'context_length' | 'stride' | 'batch_size' | 'seed' | 'pad_token_id' | 'position_offset'
  readonly min: number
  readonly hint?: string
  readonly placeholder?: string
  /** The value that an empty field stands for. Default: the recipe then has no such field. */
  readonly empty?: number
}

/** A number of the recipe. */
export function RecipeNumber({ name, empty, ...rest }: Props) {
  return (
    <NumberField
      {...{ name, label: name, ...rest }}
      value={recipe.value[name]}
      onValue={(value) => change({ [name]: value ?? empty })}
    />
  )
}
