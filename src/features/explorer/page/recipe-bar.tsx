import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Refused } from '../../../../clients/typescript/src/index.js'
import { type Options, optionsOf } from './card.js'
import { counted } from './numbers.js'
import { isSame, presets, type Recipe, recipeOf } from './recipe.js'
import { SCHEMES } from './schemes.js'
import { answer, change, error, recipe, selection } from './store.js'

/** A field in which no number stands, while the recipe is that one: "−", or nothing where a number is needed. */
const unread = signal<{ readonly name: string; readonly recipe: Recipe } | undefined>(undefined)

/** Why a field is refused: in the service's own words, if it has seen it. */
function refusalOf(name: string): string | undefined {
  if (unread.value?.name === name && unread.value.recipe === recipe.value)
    return `\`${name}\` must be a whole number.`
  const { param = null, message } = error.value instanceof Refused ? error.value : {}
  return param === name || param?.startsWith(`${name}.`) ? message : undefined
}

/** A field's id, and what tells a screen reader that it is refused, and why. */
function marksOf(name: string) {
  const isRefused = refusalOf(name) !== undefined
  return {
    id: `field-${name}`,
    ...(isRefused && ({ 'aria-invalid': 'true', 'aria-describedby': `refusal-${name}` } as const)),
  }
}

const DOCUMENTS = { one: 'one document', lines: 'one a line', ids: 'ids, not text' }
const SCHEME_NAMES: Options = Object.keys(SCHEMES).map((name) => [name, name])
const RARE = ['seed', 'epoch', 'drop_last', 'pad_token_id', 'position_offset']

/** The form of the recipe: the text, and how it is cut, placed and batched. Its fields have the API's names. */
export function RecipeBar() {
  const { models = [], model } = answer.value ?? {}
  const names = new Set([...models.map(({ id }) => id), recipe.value.model ?? ''])
  for (const name of ['default', '']) names.delete(name)
  const own = model?.position_embedding
  return (
    <form
      class="recipe"
      aria-label="Recipe"
      onSubmit={(event) => event.preventDefault()}
      onInput={({ currentTarget }) => {
        const inputs = [...currentTarget.querySelectorAll('input')]
        const wrong = inputs.find(({ validity }) => validity.badInput || validity.valueMissing)
        unread.value = wrong && { name: wrong.name, recipe: recipe.value }
        if (wrong !== undefined) return
        const { text } = recipe.value
        recipe.value = recipeOf([['text', text], ...new FormData(currentTarget)])
      }}
    >
      <Presets />
      <TextField />
      <div class="fields">
        <Entry name="documents" options={Object.entries(DOCUMENTS)} />
        <Entry name="context_length" hint="T" min={1} placeholder="whole text" />
        <Entry name="stride" min={1} placeholder="T" />
        <Entry name="tail" options={Object.entries({ '': 'drop', pad: 'pad' })} />
        <Entry name="batch_size" hint="B" min={1} required />
        {names.size === 0 ? null : (
          <Entry
            name="model"
            options={[['', 'default'], ...[...names].map((name) => [name, name] as const)]}
          />
        )}
        <Entry
          name="position_embedding"
          options={[['', own === undefined ? 'the model’s' : `the model’s: ${own}`], ...SCHEME_NAMES]}
        />
        <Entry
          name="beside"
          label="compare with"
          options={[['', 'none'], ...SCHEME_NAMES.filter(([name]) => name !== 'none')]}
        />
      </div>
      <details class="more" open={RARE.some((name) => refusalOf(name) !== undefined) || undefined}>
        <summary>More</summary>
        <div class="fields">
          <Entry name="seed" label="seed: shuffles" placeholder="not shuffled" />
          <Entry name="epoch" label="epoch: the pass, with a seed" placeholder="0" />
          <Entry name="drop_last" options={Object.entries({ '': 'false', true: 'true' })} />
          <Entry name="pad_token_id" placeholder="the model’s" />
          <Entry name="position_offset" placeholder="0" />
        </div>
      </details>
    </form>
  )
}

/** Recipes to begin with. A preset whose model the service does not have is left out. */
function Presets() {
  const models = answer.value?.models ?? []
  const shown = presets.filter(
    ({ recipe: { model } }) => model === undefined || models.some(({ id }) => id === model),
  )
  return (
    <fieldset class="presets">
      <legend>Begin with</legend>
      {shown.map(({ name, about, token = 1, recipe: preset }) => (
        <button
          key={name}
          type="button"
          aria-pressed={isSame(preset, recipe.value)}
          onClick={() => {
            selection.value = { document: 0, token, channel: 0 }
            recipe.value = preset
          }}
        >
          <b>{name}</b> <small>{about}</small>
        </button>
      ))}
    </fieldset>
  )
}

/** Most characters that stand in the text box: one of a megabyte would stall the page. */
const MOST_TYPED = 65_536

function TextField() {
  const { text, documents } = recipe.value
  const [name, label] = documents === 'ids' ? ['input_ids', 'Ids'] : ['text', 'Text']
  return (
    <Field name={name} label={label}>
      {text.length > MOST_TYPED ? (
        <p class="chip">
          {counted(text.length)} characters: <q>{text.slice(0, 60)}…</q>
          <button type="button" onClick={() => change({ text: text.slice(0, MOST_TYPED) })}>
            Edit the first {counted(MOST_TYPED)}
          </button>
        </p>
      ) : (
        <textarea
          {...marksOf(name)}
          name="text"
          rows={Math.min(6, Math.max(2, text.split('\n').length))}
          spellcheck={false}
          value={text}
        />
      )}
    </Field>
  )
}

interface FieldProps {
  readonly name: string
  readonly label?: string
  /** The axis that the field sizes. */
  readonly hint?: 'B' | 'T'
}

/** A field with its label, and the service's own words if it refused this field. */
function Field({
  name,
  label = name,
  hint,
  children,
}: FieldProps & { readonly children: ComponentChildren }) {
  const refusal = refusalOf(name)
  return (
    <div class={refusal ? 'field refused' : 'field'}>
      <label for={`field-${name}`}>
        {label} {hint === undefined ? null : <b class={`axis-${hint}`}>{hint}</b>}
      </label>
      {children}
      {refusal ? (
        <p class="refusal" id={`refusal-${name}`}>
          {refusal}
        </p>
      ) : null}
    </div>
  )
}

interface EntryProps extends FieldProps {
  readonly name: keyof Recipe
  /** Its values; absent: it is a whole number. */
  readonly options?: Options
  readonly min?: number
  readonly placeholder?: string
  readonly required?: boolean
}

function Entry({ name, label, hint, options, min = 0, ...input }: EntryProps) {
  const value = recipe.value[name]
  return (
    <Field {...{ name, label, hint }}>
      {options ? (
        <select {...marksOf(name)} name={name} value={value ?? options[0][0]}>
          {optionsOf(options)}
        </select>
      ) : (
        <input
          {...{ ...input, ...marksOf(name), name, min }}
          type="number"
          inputMode="numeric"
          value={value ?? ''}
        />
      )}
    </Field>
  )
}
