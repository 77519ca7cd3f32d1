import { Fragment } from 'preact'
import { type Axis, axis } from '../store.js'
import { counted } from './digits.js'

const NAMES: Readonly<Record<Axis, string>> = {
  B: 'the windows of a batch',
  T: 'the places of a window',
  C: 'the channels of a row',
  V: 'the rows of the table',
}

/** A letter of an axis in its colour. Pointing at it, or focusing it, lights that axis in all cards. */
export function AxisLetter({ of, size }: { readonly of: Axis; readonly size?: number | undefined }) {
  const name = `${of}${size === undefined ? '' : ` ${counted(size)}`}, ${NAMES[of]}`
  const light = () => {
    axis.value = of
  }
  const out = () => {
    axis.value = undefined
  }
  return (
    <button
      type="button"
      class={`axis axis-${of}${axis.value === of ? ' lit' : ''}`}
      title={name}
      aria-label={name}
      onMouseEnter={light}
      onMouseLeave={out}
      onFocus={light}
      onBlur={out}
    >
      {of} {size === undefined ? null : <span class="size">{counted(size)}</span>}
    </button>
  )
}

/** A shape: letters with their sizes, `[B 2, T 6, C 256]`. */
export function Shape({ of }: { readonly of: readonly (readonly [Axis, number])[] }) {
  return (
    <span class="shape">
      [
      {of.map(([letter, size], index) => (
        <Fragment key={letter}>
          {index === 0 ? '' : ', '}
          <AxisLetter of={letter} size={size} />
        </Fragment>
      ))}
      ]
    </span>
  )
}
