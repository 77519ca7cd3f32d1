import { useLayoutEffect, useRef } from 'preact/hooks'
import { strideOf, tailsOf } from './answer.js'
import { Card, gridKeys, Slider } from './card.js'
import type { Answer } from './load.js'
import { counted } from './numbers.js'
import { asks, at, change, selectToken } from './store.js'
import { visibleText } from './tokens.js'

/** Positions of a window that are on screen at once. */
const SHOWN = 16

/** What is selected where the batch does not have the selected token. */
const FIRST = { window: 0, position: 0 }

/** The tokens in windows of equal length, a batch of them, each token over the one that comes next. */
export function WindowsCard(current: Answer) {
  const grid = useRef<HTMLDivElement>(null)
  const { batch, counts, recipe } = current
  useLayoutEffect(() => grid.current?.style.setProperty('--positions', `${Math.min(SHOWN, batch.length)}`))
  const { window, position } = at.value ?? FIRST
  const from = position - (position % SHOWN)
  const to = Math.min(batch.length, from + SHOWN)
  const cell = { row: window, column: position }
  const choose = (row: number, column: number) =>
    selectToken(batch.documents[row], batch.starts[row] + column)
  return (
    <Card
      id="windows"
      title="Windows"
      about="A model reads T tokens at a time. Each window's target is the same text one token on: at every position the model is to say what comes next."
      gives={{ B: batch.windows, T: batch.length }}
    >
      <p class="facts-line">
        {counted(counts.num_windows)} {counts.num_windows === 1 ? 'window' : 'windows'} of{' '}
        {counted(batch.length)} tokens, a start every {counted(strideOf(current))}
        {to - from < batch.length ? `; positions ${from} to ${to - 1}` : ''}
        {counts.num_dropped_windows > 0
          ? `; drop_last leaves out ${counted(counts.num_dropped_windows)}`
          : ''}
        .
      </p>
      <Slider
        label={`batch ${counted(recipe.batch_index)} of ${counted(counts.num_batches)}`}
        value={recipe.batch_index}
        max={counts.num_batches - 1}
        onValue={(batch_index) => change({ batch_index })}
      />
      <div
        ref={grid}
        class="windows scrolls"
        role="grid"
        aria-label="Windows: inputs, and the targets below them"
        aria-rowcount={batch.windows}
        aria-colcount={batch.length}
        onKeyDown={gridKeys(cell, batch.windows, batch.length, ({ row, column }) => choose(row, column))}
      >
        {Array.from({ length: batch.windows }, (_, index) => (
          <WindowRow key={index} {...{ answer: current, index, from, to }} />
        ))}
      </div>
      <Tails {...current} />
    </Card>
  )
}

const WRITTEN = 12

/** The tokens at the end that no window takes, and why. */
function Tails(current: Answer) {
  const { counts, documents, recipe } = current
  if (counts.num_dropped_tokens === 0) return null
  const words = tailsOf(current).flatMap(({ from, to }, index) =>
    Array.from({ length: to - from }, (_, offset) => visibleText(documents[index], from + offset)),
  )
  return (
    <p class="tails">
      <b>{counted(counts.num_dropped_tokens)}</b>{' '}
      {counts.num_dropped_tokens === 1 ? 'token is in no window' : 'tokens are in no window'}
      {recipe.tail === 'pad' ? '. ' : ': a window needs all its inputs and the target after the last one. '}
      {words.slice(0, WRITTEN).map((word, index) => (
        <span key={index} class="slot dropped">
          {word}
        </span>
      ))}
      {words.length > WRITTEN ? ' …' : ''}
    </p>
  )
}

type RowProps = { readonly answer: Answer } & Readonly<Record<'index' | 'from' | 'to', number>>

const NO_TARGET = -100

/** A window: its inputs, and below each the token that comes after it. */
function WindowRow({ answer, index, from, to }: RowProps) {
  const selected = at.value ?? FIRST
  const chosen = selected.window === index ? selected.position : undefined
  const { batch, documents, recipe } = answer
  const [document, start] = [batch.documents[index], batch.starts[index]]
  const skipped = start === 0 ? 0 : strideOf(answer) - batch.length
  const word = (token: number) => visibleText(documents[document], token)
  return (
    <div role="row" aria-rowindex={index + 1} class={index === 0 ? 'window' : 'window reveals'}>
      <div role="rowheader" class="window-name">
        <b>window {counted(recipe.batch_index * recipe.batch_size + index)}</b>
        <span>
          {documents.length > 1 ? `document ${document}, ` : ''}from token {counted(start)}
        </span>
        {skipped > 0 ? <span class="gap">{skipped} skipped before it</span> : null}
      </div>
      {Array.from({ length: to - from }, (_, offset) => {
        const position = from + offset
        const slot = index * batch.length + position
        const isPadded = batch.mask[slot] === 0
        const target = batch.targets[slot]
        const input = isPadded ? 'pad' : word(start + position)
        const next = target === NO_TARGET ? 'no target' : word(start + position + 1) || String(target)
        const hue = isPadded ? 'padded' : `hue-${(start + position) % 5}`
        return (
          <button
            key={position}
            type="button"
            role="gridcell"
            aria-colindex={position + 1}
            tabIndex={position === chosen ? 0 : -1}
            aria-selected={position === chosen}
            class={`slot ${hue} ${position < -skipped ? 'shared' : ''}`}
            data-slot={`${index} ${position}`}
            aria-label={`${input}${asks.value ? '' : ` ${next}`}: position ${position}, id ${batch.ids[slot]}`}
            onClick={() => selectToken(document, start + position)}
          >
            <span class="input">{input}</span> <span class="target reveals">{next}</span>
          </button>
        )
      })}
    </div>
  )
}
