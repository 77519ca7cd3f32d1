import { change, model, recipe } from '../store.js'
import { positionOf } from './architectures.js'
import { ChoiceField, NumberField } from './fields.js'
import type { Position } from './recipe.js'
import { SCHEMES, type SchemeOption } from './schemes.js'

/** The position scheme and its options. */
export function PositionFields() {
  const { position_embedding: position, architecture } = recipe.value
  const ofArchitecture = positionOf({ ...recipe.value, position_embedding: undefined }, model.value)?.type
  const own = ofArchitecture ?? model.value?.position_embedding
  const whose = ofArchitecture === undefined ? 'the model’s' : `the one of ${architecture}`
  const names = Object.keys(SCHEMES).map((name) => [name, name] as const)
  const options = SCHEMES[position?.type ?? 'none']
  const set = (option: string, value: string | number | boolean | undefined) => {
    const { [option]: _before, ...rest } = position as Position
    change({
      position_embedding: (value === undefined ? rest : { ...rest, [option]: value }) as Position,
    })
  }
  return (
    <>
      <ChoiceField
        name="position_embedding"
        isWide
        label="position_embedding"
        value={position?.type ?? ''}
        options={[['', own === undefined ? whose : `${whose}: ${own}`], ...names]}
        onValue={(type) =>
          change({ position_embedding: type === '' ? undefined : { type: type as Position['type'] } })
        }
      />
      {options.map((option) => (
        <Option key={option.name} option={option} value={position?.[option.name]} onValue={set} />
      ))}
    </>
  )
}

interface Props {
  readonly option: SchemeOption
  readonly value: string | number | boolean | undefined
  readonly onValue: (name: string, value: string | number | boolean | undefined) => void
}

function Option({ option: { name, standard }, value, onValue }: Props) {
  const field = { name: `position_embedding.${name}`, label: name }
  if (typeof standard === 'number') {
    return (
      <NumberField
        {...field}
        value={value as number | undefined}
        min={0}
        placeholder={String(standard)}
        onValue={(next) => onValue(name, next)}
      />
    )
  }
  const choices = standard.map((each) => [each, each] as const)
  return (
    <ChoiceField
      {...field}
      value={String(value ?? standard[0])}
      options={choices}
      onValue={(next) => onValue(name, next === 'true' ? true : next === 'false' ? false : next)}
    />
  )
}
