import { extent } from 'd3-array'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MapRow } from './map-rows.js'
import type { PcaAnswer } from './pca-worker.js'

interface Props {
  readonly rows: readonly MapRow[]
  readonly flat: PcaAnswer
  readonly chosen: string | undefined
  readonly onChoose: (row: MapRow) => void
}

/** Names of rows where the two components put them. One stop of the Tab key; arrows go from left to right. */
export function Scatter({ rows, flat, chosen, onChoose }: Props) {
  const field = useRef<HTMLDivElement>(null)
  const order = rows.map((_, index) => index).sort((a, b) => flat.points[a][0] - flat.points[b][0])
  const [focused, setFocused] = useState(0)
  const at = Math.min(focused, order.length - 1)
  const all = [...flat.before, flat.points]
  const [left = 0, right = 1] = extent(all.flat(), ([x]) => x)
  const [low = 0, high = 1] = extent(all.flat(), ([, y]) => y)
  const placeOf = ([x, y]: readonly [number, number]) => [
    0.01 + (0.98 * (x - left)) / (right - left || 1),
    0.98 - (0.96 * (y - low)) / (high - low || 1),
  ]
  useEffect(() => {
    field.current?.querySelectorAll<HTMLElement>('.point').forEach((point) => {
      const [x, y] = placeOf(flat.points[Number(point.dataset.index)])
      point.style.setProperty('--x', String(x))
      point.style.setProperty('--y', String(y))
    })
  }, [rows, flat])
  const move = (step: number) => {
    const next = Math.max(0, Math.min(order.length - 1, at + step))
    setFocused(next)
    field.current?.querySelector<HTMLElement>(`[data-index="${order[next]}"]`)?.focus()
  }
  return (
    <div
      ref={field}
      class="scatter"
      role="listbox"
      aria-label="Map of the rows, from left to right"
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
        if (step === undefined) return
        event.preventDefault()
        move(step)
      }}
    >
      {flat.before.length === 0 ? null : (
        <svg class="paths" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
          {rows.map((row, index) => (
            <polyline key={row.key} points={all.map((points) => placeOf(points[index]).join()).join(' ')} />
          ))}
        </svg>
      )}
      {rows.map((row, index) => (
        <button
          key={row.key}
          type="button"
          role="option"
          aria-selected={row.key === chosen}
          class="point"
          data-index={index}
          tabIndex={order[at] === index ? 0 : -1}
          onClick={() => {
            setFocused(order.indexOf(index))
            onChoose(row)
          }}
        >
          {row.name}
        </button>
      ))}
    </div>
  )
}
