import type { ComponentChildren } from 'preact'
import type { Architecture } from '../../../../clients/typescript/src/index.js'
import { LONG_TEXT } from './calls.js'
import { counted } from './numbers.js'
import {
  ARCHITECTURES,
  type Position,
  positionOf,
  presets,
  type Recipe,
  SCHEMES,
  type SchemeOption,
} from './recipe.js'
import { change, error, model, models, recipe, refusedField, selection } from './store.js'

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

const ORDERS = [
  ['', 'as in the text'],
  ['shuffle', 'shuffled'],
] as const

/** Fields of this part: it opens where one of them is refused. */
const MORE_FIELDS: readonly (string | null | undefined)[] = [
  'shuffle',
  'seed',
  'pad_token_id',
  'position_offset',
  'architecture',
]

/** The seed that an order is drawn from, where none is written. */
const SEED = 123

/** Fields that are used less often. */
function MoreFields() {
  const { shuffle, seed, architecture } = recipe.value
  const own = model.value?.architecture
  return (
    <details class="more" open={MORE_FIELDS.includes(refusedField.value) || undefined}>
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

/** The position scheme and its options. */
function PositionFields() {
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

interface OptionProps {
  readonly option: SchemeOption
  readonly value: string | number | boolean | undefined
  readonly onValue: (name: string, value: string | number | boolean | undefined) => void
}

function Option({ option: { name, standard }, value, onValue }: OptionProps) {
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

interface RecipeNumberProps {
  /** The recipe's field, which is also its label. */
  readonly name: 'context_length' | 'stride' | 'batch_size' | 'seed' | 'pad_token_id' | 'position_offset'
  readonly min: number
  readonly hint?: string
  readonly placeholder?: string
  /** The value that an empty field stands for. Default: the recipe then has no such field. */
  readonly empty?: number
}

/** A number of the recipe. */
function RecipeNumber({ name, empty, ...rest }: RecipeNumberProps) {
  return (
    <NumberField
      {...{ name, label: name, ...rest }}
      value={recipe.value[name]}
      onValue={(value) => change({ [name]: value ?? empty })}
    />
  )
}

interface Named {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Its values are long. */
  readonly isWide?: boolean
}

/** A field with its label, and the service's own words where it is this one that was refused. */
function Field({ name, label, hint, isWide, children }: Named & { readonly children: ComponentChildren }) {
  const refused = refusedField.value
  const isRefused = refused === name || refused?.startsWith(`${name}.`)
  return (
    <div class={`field${isRefused ? ' refused' : ''}${isWide ? ' wide' : ''}`}>
      <label for={`field-${name}`}>
        {label}
        {hint === undefined ? null : <span class={`hint axis-${hint}`}>{hint}</span>}
      </label>
      {children}
      {isRefused ? (
        <p class="refusal" id={`refusal-${name}`}>
          {error.value?.message}
        </p>
      ) : null}
    </div>
  )
}

interface NumberProps extends Named {
  readonly value: number | undefined
  readonly min: number
  readonly placeholder?: string
  readonly onValue: (value: number | undefined) => void
}

function NumberField({ value, min, placeholder, onValue, ...named }: NumberProps) {
  return (
    <Field {...named}>
      <input
        id={`field-${named.name}`}
        type="number"
        inputMode="numeric"
        min={min}
        step={1}
        value={value ?? ''}
        placeholder={placeholder}
        aria-describedby={`refusal-${named.name}`}
        onInput={({ currentTarget: { value: text } }) => onValue(text === '' ? undefined : Number(text))}
      />
    </Field>
  )
}

interface ChoiceProps extends Named {
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onValue: (value: string) => void
}

export function ChoiceField({ value, options, onValue, ...named }: ChoiceProps) {
  return (
    <Field {...named}>
      <select
        id={`field-${named.name}`}
        value={value}
        aria-describedby={`refusal-${named.name}`}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  )
}
