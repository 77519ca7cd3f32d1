import type { ComponentChildren } from 'preact'
import type { Architecture } from '../../../../clients/typescript/src/index.js'
import { LONG_TEXT } from './calls.js'
import { counted } from './numbers.js'
import { ARCHITECTURES, type Position, positionOf, presets, type Recipe, SCHEMES } from './recipe.js'
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
  const { documents, tail } = recipe.value
  const known = models.value.map(({ id, state }) => [id, state === 'failed' ? `${id} (failed)` : id] as const)
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
          value={tail ?? 'drop'}
          options={TAILS}
          onValue={(value) => change({ tail: value === 'pad' ? 'pad' : undefined })}
        />
        <RecipeNumber name="batch_size" hint="B" min={1} empty={1} />
        {known.length > 1 ? (
          <ChoiceField
            name="model"
            value={recipe.value.model ?? known[0][0]}
            options={known}
            onValue={(value) => change({ model: value })}
          />
        ) : null}
        <PositionFields />
      </div>
      <MoreFields />
    </form>
  )
}

/** Recipes to begin with. A preset whose model the service does not have is left out. */
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
            aria-pressed={preset === chosen}
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

/** The text; or the size of a long one: a text box of a megabyte would stall the page. */
function TextField() {
  const { text, documents } = recipe.value
  const [name, label] = documents === 'ids' ? ['input_ids', 'Ids'] : ['text', 'Text']
  return (
    <Field name={name} label={label}>
      {text.length > LONG_TEXT ? (
        <p class="chip" id={`field-${name}`}>
          {counted(text.length)} characters: <q>{text.slice(0, 60)}…</q>
          <button type="button" onClick={() => change({ text: text.slice(0, LONG_TEXT) })}>
            Edit the first {counted(LONG_TEXT)}
          </button>
        </p>
      ) : (
        <textarea
          id={`field-${name}`}
          rows={Math.min(6, Math.max(2, text.split('\n').length))}
          spellcheck={false}
          value={text}
          aria-describedby={`refusal-${name}`}
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
      )}
    </Field>
  )
}

const ORDERS = [
  ['', 'as in the text'],
  ['shuffle', 'shuffled'],
] as const

/** Fields of this part: it opens if one of them is refused. */
const MORE = ['shuffle', 'seed', 'pad_token_id', 'position_offset', 'architecture']

const SEED = 123

function MoreFields() {
  const { shuffle, seed, architecture } = recipe.value
  const own = model.value?.architecture
  return (
    <details class="more" open={MORE.includes(refusedField.value ?? '') || undefined}>
      <summary>More</summary>
      <div class="fields">
        <ChoiceField
          name="shuffle"
          label="order"
          value={shuffle ? 'shuffle' : ''}
          options={ORDERS}
          onValue={(value) =>
            change(value ? { shuffle: true, seed: seed ?? SEED } : { shuffle: undefined, seed: undefined })
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

function PositionFields() {
  const { position_embedding: position, architecture } = recipe.value
  const ofArchitecture = positionOf({ ...recipe.value, position_embedding: undefined }, model.value)?.type
  const own = ofArchitecture ?? model.value?.position_embedding
  const whose = ofArchitecture === undefined ? 'the model’s' : `the one of ${architecture}`
  const set = (option: string) => (value: string | number | undefined) => {
    const { [option]: _before, ...rest } = position as Position
    const sent = value === 'true' ? true : value === 'false' ? false : value
    change({ position_embedding: (sent === undefined ? rest : { ...rest, [option]: sent }) as Position })
  }
  return (
    <>
      <ChoiceField
        name="position_embedding"
        isWide
        value={position?.type ?? ''}
        options={[
          ['', own === undefined ? whose : `${whose}: ${own}`],
          ...Object.keys(SCHEMES).map((name) => [name, name] as const),
        ]}
        onValue={(type) =>
          change({ position_embedding: type === '' ? undefined : { type: type as Position['type'] } })
        }
      />
      {SCHEMES[position?.type ?? 'none'].map(({ name, standard }) => {
        const field = { name: `position_embedding.${name}`, label: name, onValue: set(name) }
        const value = position?.[name]
        return typeof standard === 'number' ? (
          <NumberField
            key={name}
            {...field}
            value={value as number | undefined}
            min={0}
            placeholder={String(standard)}
          />
        ) : (
          <ChoiceField
            key={name}
            {...field}
            value={String(value ?? standard[0])}
            options={standard.map((each) => [each, each] as const)}
          />
        )
      })}
    </>
  )
}

interface RecipeNumberProps extends Pick<NumberProps, 'min' | 'hint' | 'placeholder'> {
  readonly name: 'context_length' | 'stride' | 'batch_size' | 'seed' | 'pad_token_id' | 'position_offset'
  /** The value that an empty field stands for. Default: the recipe then has no such field. */
  readonly empty?: number
}

function RecipeNumber({ empty, ...field }: RecipeNumberProps) {
  const { name } = field
  return (
    <NumberField
      {...field}
      value={recipe.value[name]}
      onValue={(value) => change({ [name]: value ?? empty })}
    />
  )
}

interface Named {
  readonly name: string
  readonly label?: string
  readonly hint?: string
  /** The values are long. */
  readonly isWide?: boolean
}

/** A field with its label, and the service's own words if it refused this field. */
function Field({
  name,
  label = name,
  hint,
  isWide,
  children,
}: Named & { readonly children: ComponentChildren }) {
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
