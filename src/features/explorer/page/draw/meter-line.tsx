interface Props {
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
export function MeterLine({ name, label, value, most = 1, digits, hidden = false }: Props) {
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
