import { rounded } from '../draw/digits.js'

interface Props {
  readonly name: string
  readonly value: number
  /** The guided walk asks for it before it is shown. */
  readonly hidden?: boolean
}

/** A cosine, as a number and as a length from 0 to 1. */
export function CosineLine({ name, value, hidden = false }: Props) {
  return (
    <div class={`cosine${hidden ? ' reveals' : ''}`}>
      <span>{name}</span>
      <meter min={0} max={1} value={Math.max(0, value)} aria-label={`Cosine of the two ${name}`}>
        {rounded(value)}
      </meter>
      <b>{rounded(value)}</b>
    </div>
  )
}
