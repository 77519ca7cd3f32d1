import { useLayoutEffect, useRef } from 'preact/hooks'
import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { cellAfter } from '../draw/grid-keys.js'
import { answer, at, change } from '../store.js'
import { textOf } from '../tokens/document-places.js'
import { visible } from '../tokens/places.js'
import { Minimap } from './minimap.js'
import { selectToken } from './select-token.js'
import { strideOf, tailsOf } from './window-facts.js'
import { WindowRow } from './window-row.js'

/** Places of a window that are on screen at once. */
const SHOWN = 16

/** The tokens in windows of equal length, a batch of them, each token over the one that comes next. */
export function WindowsCard() {
  const grid = useRef<HTMLDivElement>(null)
  const current = answer.value
  useLayoutEffect(() =>
    grid.current?.style.setProperty('--places', String(Math.min(SHOWN, current?.batch.length ?? 1))),
  )
  const place = at.value ?? { window: 0, place: 0 }
  const from = place.place - (place.place % SHOWN)
  const begin = (current?.batch.starts[0] ?? 0) + from
  const last = useRef(begin)
  useLayoutEffect(() => {
    if (begin !== last.current) slide(grid.current, begin > last.current ? 'right' : 'left')
    last.current = begin
  }, [begin])
  if (current === undefined) return null
  const { batch, counts, recipe } = current
  const to = Math.min(batch.length, from + SHOWN)
  const choose = (window: number, next: number) => {
    selectToken(batch.documents[window], batch.starts[window] + next)
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus())
  }
  return (
    <Card
      id="windows"
      title="Windows"
      about={
        <>
          A model reads T tokens at a time. Each window's target is the same text one token on: at every place
          the model is to say what comes next.
        </>
      }
      gives={[
        ['B', batch.windows],
        ['T', batch.length],
      ]}
    >
      <p class="facts-line">
        {counted(counts.windows)} {counts.windows === 1 ? 'window' : 'windows'} of {counted(batch.length)}{' '}
        tokens, a start every {counted(strideOf(current))}; batch {counted(recipe.batch_index)} of{' '}
        {counted(counts.batches)}
        {to - from < batch.length ? `; places ${from} to ${to - 1}` : ''}.
      </p>
      <Minimap />
      <div
        ref={grid}
        class="windows scrolls"
        role="grid"
        aria-label="Windows: inputs, and the targets below them"
        aria-rowcount={batch.windows}
        aria-colcount={batch.length}
        onKeyDown={(event) => {
          const cell = { row: place.window, column: place.place }
          const next = cellAfter(event, cell, batch.windows, batch.length)
          if (next === undefined) return
          event.preventDefault()
          choose(next.row, next.column)
        }}
      >
        {Array.from({ length: batch.windows }, (_, index) => (
          <WindowRow
            key={index}
            {...{ answer: current, index, from, to }}
            place={index === place.window ? place.place : undefined}
            onPlace={(next) => choose(index, next)}
          />
        ))}
      </div>
      <Tails />
      {counts.batches > 1 ? (
        <div class="buttons">
          <button
            type="button"
            disabled={recipe.batch_index === 0}
            onClick={() => change({ batch_index: recipe.batch_index - 1 })}
          >
            ← batch
          </button>
          <button
            type="button"
            disabled={recipe.batch_index + 1 >= counts.batches}
            onClick={() => change({ batch_index: recipe.batch_index + 1 })}
          >
            batch →
          </button>
        </div>
      ) : null}
    </Card>
  )
}

/** Pixels and milliseconds of a slide. */
const WAY = 28
const MS = 180

/** Slides an element's new content in from the side that it comes from; does nothing where the reader asks for less motion. */
function slide(element: Element | null, side: 'left' | 'right'): void {
  if (element === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const from = side === 'right' ? WAY : -WAY
  element.animate([{ transform: `translateX(${from}px)` }, { transform: 'none' }], {
    duration: MS,
    easing: 'ease-out',
  })
}

/** Tokens of a tail that are written out. */
const WRITTEN = 12

/** The tokens at the end that no window takes, and why. */
function Tails() {
  const current = answer.value
  if (current === undefined || current.counts.droppedTokens === 0) return null
  const { counts, documents, recipe } = current
  const tails = tailsOf(current).map((tail, index) => ({ ...tail, document: documents[index], index }))
  return (
    <div class="tails">
      <p>
        <b>{counted(counts.droppedTokens)}</b>{' '}
        {counts.droppedTokens === 1 ? 'token is in no window' : 'tokens are in no window'}
        {recipe.tail === 'pad' ? '.' : ': a window needs all its inputs and the target after the last one.'}
      </p>
      {tails
        .filter(({ from, to }) => to > from)
        .map(({ from, to, document, index }) => (
          <p key={index} class="tail">
            {documents.length > 1 ? <span class="note">document {index}: </span> : null}
            {Array.from({ length: Math.min(WRITTEN, to - from) }, (_, offset) => (
              <span key={offset} class="slot dropped">
                {visible(textOf(document, from + offset))}
              </span>
            ))}
            {to - from > WRITTEN ? <span class="note">and {counted(to - from - WRITTEN)} more</span> : null}
          </p>
        ))}
    </div>
  )
}
