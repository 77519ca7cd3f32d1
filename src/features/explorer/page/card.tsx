import type { ComponentChildren } from 'preact'
import { type Cell, cellAfter, counted } from './numbers.js'
import { steps } from './steps.js'
import { step } from './store.js'

const NAMES = { B: 'the windows of a batch', T: 'the positions of a window', C: 'the channels of a row' }

/** Sizes of a tensor's axes, in order: `{ B: 2, T: 6, C: 256 }`. */
type Shape = Readonly<Partial<Record<keyof typeof NAMES, number>>>

interface Props {
  /** The section's id, for links to it: `tokens`. */
  readonly id: string
  readonly title: string
  /** A sentence on what happens in this card. */
  readonly about: ComponentChildren
  /** The result that an arrow carries to the next card. */
  readonly gives?: string | Shape | undefined
  readonly children: ComponentChildren
}

/** A stage of the walk. */
export function Card({ id, title, about, gives, children }: Props) {
  const isWalked = step.value !== undefined && steps[step.value].card === id
  return (
    <>
      <section class={`card${isWalked ? ' on-walk' : ''}`} id={id} aria-labelledby={`${id}-title`}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p class="about">{about}</p>
        {children}
      </section>
      {gives === undefined ? null : (
        <div class="arrow">
          <span class="shape">{typeof gives === 'string' ? gives : <ShapeLetters {...gives} />}</span>
        </div>
      )}
    </>
  )
}

/** Each letter of an axis in its colour. */
function ShapeLetters(shape: Shape) {
  const letters = Object.entries(shape) as [keyof Shape, number][]
  return (
    <>
      [
      {letters.map(([letter, size], index) => (
        <span key={letter} title={NAMES[letter]}>
          {index === 0 ? '' : ', '}
          <b class={`axis-${letter}`}>{letter}</b> {counted(size)}
        </span>
      ))}
      ]
    </>
  )
}

interface Input<T> {
  readonly label: string
  readonly value: T
  readonly onValue: (value: T) => void
}

/** A whole number from 0 to `max`. */
export function Slider({ label, onValue, ...range }: Input<number> & { readonly max: number }) {
  if (range.max === 0) return null
  return (
    <label class="slider">
      <span>{label}</span>
      <input
        type="range"
        min={0}
        {...range}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
    </label>
  )
}

/** One of a few values. */
export function Tabs<T extends string | number>({
  label,
  value,
  values,
  onValue,
}: Input<T> & { readonly values: readonly T[] }) {
  return (
    <fieldset class="tabs">
      <legend>{label}</legend>
      {values.map((each) => (
        <label key={each}>
          <input type="radio" name={label} checked={each === value} onChange={() => onValue(each)} />
          {each}
        </label>
      ))}
    </fieldset>
  )
}

export type Options = readonly (readonly [value: string, label: string])[]

/** The values of a `select`. */
export function optionsOf(options: Options) {
  return options.map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ))
}

/** One of many values. */
export function Choice({ label, value, options, onValue }: Input<string> & { readonly options: Options }) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {optionsOf(options)}
      </select>
    </label>
  )
}

/** The keys of a grid: they move the selection, and the focus goes with it where cells are buttons. */
export function gridKeys(cell: Cell, rows: number, columns: number, choose: (next: Cell) => void) {
  return (event: KeyboardEvent) => {
    const next = cellAfter(event, cell, rows, columns)
    if (next === undefined) return
    event.preventDefault()
    choose(next)
    const grid = event.currentTarget as HTMLElement
    requestAnimationFrame(() => grid.querySelector<HTMLElement>('button[aria-selected=true]')?.focus())
  }
}
