import { rounded } from '../draw/digits.js'

/** A cosine, as a number and as a length from 0 to 1. */
export function CosineLine({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div class="cosine">
      <span>{name}</span>
      <meter min={0} max={1} value={Math.max(0, value)} aria-label={`Cosine of the two ${name}`}>
        {rounded(value)}
      </meter>
      <b>{rounded(value)}</b>
    </div>
  )
}
