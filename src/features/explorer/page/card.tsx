import { type ComponentChildren, Fragment } from 'preact'
import { counted } from './numbers.js'
import { type Axis, axis, walked } from './store.js'

interface Props {
  /** Of the section, for links to it: `tokens`. */
  readonly id: string
  readonly title: string
  /** A sentence on what happens in this card. */
  readonly about: ComponentChildren
  /** The result that an arrow carries to the next card. */
  readonly gives?: string | readonly (readonly [Axis, number])[] | undefined
  readonly children: ComponentChildren
}

/** A stage of the walk. */
export function Card({ id, title, about, gives, children }: Props) {
  const arrow = typeof gives === 'string' ? <span class="shape">{gives}</span> : gives && <Shape of={gives} />
  return (
    <>
      <section class={`card${walked.value === id ? ' on-walk' : ''}`} id={id} aria-labelledby={`${id}-title`}>
        <h2 id={`${id}-title`} tabIndex={-1}>
          {title}
        </h2>
        <p class="about">{about}</p>
        {children}
      </section>
      {arrow === undefined ? null : <div class="arrow">{arrow}</div>}
    </>
  )
}

const NAMES: Readonly<Record<Axis, string>> = {
  B: 'the windows of a batch',
  T: 'the places of a window',
  C: 'the channels of a row',
  V: 'the rows of the table',
}

/** A letter of an axis in its colour. Pointing at it, or focusing it, lights that axis in all cards. */
function AxisLetter({ of, size }: { readonly of: Axis; readonly size?: number | undefined }) {
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
function Shape({ of }: { readonly of: readonly (readonly [Axis, number])[] }) {
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

interface MeterProps {
  readonly name: string
  /** What a screen reader calls it. */
  readonly label: string
  readonly value: number
  /** The value of the whole length. */
  readonly most?: number
  /** The number as it is written. */
  readonly digits: string
  /** The guided walk asks for it before it is shown. */
  readonly hidden?: boolean
}

/** A number from 0 on, as digits and as a length. */
export function MeterLine({ name, label, value, most = 1, digits, hidden = false }: MeterProps) {
  return (
    <div class={`measure${hidden ? ' reveals' : ''}`}>
      <span>{name}</span>
      <meter min={0} max={most} value={Math.max(0, value)} aria-label={label}>
        {digits}
      </meter>
      <b>{digits}</b>
    </div>
  )
}
