import type { ComponentChildren } from 'preact'
import { type Axis, walked } from '../store.js'
import { Shape } from './axis.js'

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
