import type { ComponentChildren } from 'preact'
import { error, refusedField } from '../store.js'

interface Named {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Its values are long. */
  readonly isWide?: boolean
}

/** A field with its label, and the service's own words where it is this one that was refused. */
export function Field({
  name,
  label,
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

export function NumberField({ value, min, placeholder, onValue, ...named }: NumberProps) {
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
