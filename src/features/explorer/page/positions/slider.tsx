interface Props {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly onValue: (value: number) => void
}

/** A whole number from 0 to `max`. */
export function Slider({ label, value, max, onValue }: Props) {
  if (max === 0) return null
  return (
    <label class="slider">
      <span>
        {label} {value}
      </span>
      <input
        type="range"
        min={0}
        max={max}
        value={value}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
    </label>
  )
}
