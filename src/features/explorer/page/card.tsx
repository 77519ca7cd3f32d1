import { type ComponentChildren, Fragment } from 'preact'
import { counted } from './numbers.js'
import { type Axis, axis, walked } from './store.js'

/** Sizes of a tensor's axes, in order: `{ B: 2, T: 6, C: 256 }`. */
type Shape = Readonly<Partial<Record<Axis, number>>>

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
  return (
    <>
      <section class={`card${walked.value === id ? ' on-walk' : ''}`} id={id} aria-labelledby={`${id}-title`}>
        <h2 id={`${id}-title`} tabIndex={-1}>
          {title}
        </h2>
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

function ShapeLetters(shape: Shape) {
  const letters = Object.entries(shape) as [Axis, number][]
  return (
    <>
      [
      {letters.map(([letter, size], index) => (
        <Fragment key={letter}>
          {index === 0 ? '' : ', '}
          <AxisLetter of={letter} size={size} />
        </Fragment>
      ))}
      ]
    </>
  )
}

const NAMES: Readonly<Record<Axis, string>> = {
  B: 'the windows of a batch',
  T: 'the positions of a window',
  C: 'the channels of a row',
}

/** A letter of an axis in its colour. Pointing at it, or focusing it, lights that axis in all cards. */
function AxisLetter({ of, size }: { readonly of: Axis; readonly size: number }) {
  const name = `${of} ${counted(size)}, ${NAMES[of]}`
  const light = (next: Axis | undefined) => () => {
    axis.value = next
  }
  return (
    <button
      type="button"
      class={`axis axis-${of}${axis.value === of ? ' lit' : ''}`}
      title={name}
      aria-label={name}
      onMouseEnter={light(of)}
      onMouseLeave={light(undefined)}
      onFocus={light(of)}
      onBlur={light(undefined)}
    >
      {of} <span class="size">{counted(size)}</span>
    </button>
  )
}

interface MeterProps {
  readonly name: string
  /** The name for screen readers. */
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
