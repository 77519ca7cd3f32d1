import { useRef, useState } from 'preact/hooks'
import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { cellAfter } from '../draw/grid-keys.js'
import { PackedRow } from './packed-row.js'
import { PADDING } from './segments.js'
import { changeDataset, datasetAnswer } from './state.js'

/** A batch of a dataset: each window as long as all others, its segments side by side. */
export function PackedWindowsCard() {
  const grid = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState({ row: 0, column: 0 })
  const current = datasetAnswer.value
  if (current === undefined) return null
  const { recipe, windows, plan } = current
  const row = Math.min(at.row, windows.length - 1)
  const columnIn = (of: number, column: number) => Math.min(column, (windows[of]?.length ?? 1) - 1)
  const column = columnIn(row, at.column)
  const chosen = windows[row]?.[column]
  const choose = (next: { row: number; column: number }) => {
    setAt({ row: next.row, column: columnIn(next.row, next.column) })
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus())
  }
  const turn = (by: number) => changeDataset({ batch: recipe.batch + by })
  const { num_batches: batches } = plan
  return (
    <Card
      id="packed"
      title="Windows"
      about="Each window holds T tokens. A block is a part of one document; attention must not look beyond it, and its positions begin anew. Hatched: padding."
    >
      <p class="facts-line">
        {counted(plan.num_windows)} {plan.num_windows === 1 ? 'window' : 'windows'} of{' '}
        {counted(recipe.context_length)} tokens
        {batches === undefined ? ' in an epoch of each member' : ''}; batch {counted(recipe.batch)}
        {batches === undefined ? '' : ` of ${counted(batches)}`}; {percent(plan.fill)} of the slots hold
        tokens.
      </p>
      <div
        ref={grid}
        class="packed scrolls"
        role="grid"
        aria-label="Windows and their segments"
        onKeyDown={(event) => {
          const next = cellAfter(event, { row, column }, windows.length, windows[row]?.length ?? 1)
          if (next === undefined) return
          event.preventDefault()
          choose(next)
        }}
      >
        {windows.map((segments, index) => (
          <PackedRow
            key={index}
            {...{ segments, index }}
            chosen={index === row ? column : undefined}
            onChoose={(next) => choose({ row: index, column: next })}
          />
        ))}
      </div>
      {chosen === undefined ? null : (
        <p class="packed-text">
          <b>
            window {row}, {chosen.number === PADDING ? 'padding' : `segment ${chosen.number}`}:{' '}
            {counted(chosen.ids.length)} {chosen.ids.length === 1 ? 'slot' : 'slots'} from slot{' '}
            {counted(chosen.from)}
          </b>
          {chosen.number === PADDING ? null : <q>{chosen.text}</q>}
        </p>
      )}
      {batches === 1 ? null : (
        <div class="buttons">
          <button type="button" disabled={recipe.batch === 0} onClick={() => turn(-1)}>
            ← batch
          </button>
          <button type="button" disabled={recipe.batch + 1 === batches} onClick={() => turn(1)}>
            batch →
          </button>
        </div>
      )}
    </Card>
  )
}

/** 0.98961 → 99.0 %. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
