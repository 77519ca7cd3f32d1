import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type Answer, strideOf, tailsOf, windowFacts } from './answer.js'
import { Card } from './card.js'
import { theme } from './heatmap.js'
import { cellAfter, counted } from './numbers.js'
import { answer, at, change, selectToken } from './store.js'
import { visibleText } from './tokens.js'

/** Positions of a window that are on screen at once. */
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
    if (begin !== last.current) slide(grid.current, begin > last.current ? WAY : -WAY)
    last.current = begin
  }, [begin])
  if (current === undefined) return null
  const { batch, counts, recipe } = current
  const to = Math.min(batch.length, from + SHOWN)
  const choose = (window: number, next: number) => {
    selectToken(batch.documents[window], batch.starts[window] + next)
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus())
  }
  const turn = (name: string, batch_index: number) => (
    <button
      type="button"
      disabled={batch_index < 0 || batch_index >= counts.batches}
      onClick={() => change({ batch_index })}
    >
      {name}
    </button>
  )
  return (
    <Card
      id="windows"
      title="Windows"
      about="A model reads T tokens at a time. Each window's target is the same text one token on: at every position the model is to say what comes next."
      gives={{ B: batch.windows, T: batch.length }}
    >
      <p class="facts-line">
        {counted(counts.windows)} {counts.windows === 1 ? 'window' : 'windows'} of {counted(batch.length)}{' '}
        tokens, a start every {counted(strideOf(current))}; batch {counted(recipe.batch_index)} of{' '}
        {counted(counts.batches)}
        {to - from < batch.length ? `; positions ${from} to ${to - 1}` : ''}.
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
          {turn('← batch', recipe.batch_index - 1)}
          {turn('batch →', recipe.batch_index + 1)}
        </div>
      ) : null}
    </Card>
  )
}

const WAY = 28
const MS = 180

/** Slides an element's new content in from the left (negative) or the right, unless the reader asks for less motion. */
function slide(element: Element | null, from: number): void {
  if (element === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const frames = [{ transform: `translateX(${from}px)` }, { transform: 'none' }]
  element.animate(frames, { duration: MS, easing: 'ease-out' })
}

const WRITTEN = 12

/** The tokens at the end that no window takes, and why. */
function Tails() {
  const current = answer.value
  if (current === undefined || current.counts.droppedTokens === 0) return null
  const { counts, documents, recipe } = current
  return (
    <div class="tails">
      <p>
        <b>{counted(counts.droppedTokens)}</b>{' '}
        {counts.droppedTokens === 1 ? 'token is in no window' : 'tokens are in no window'}
        {recipe.tail === 'pad' ? '.' : ': a window needs all its inputs and the target after the last one.'}
      </p>
      {tailsOf(current).map(({ from, to }, index) =>
        to <= from ? null : (
          <p key={index} class="tail">
            {documents.length > 1 ? <span class="note">document {index}: </span> : null}
            {Array.from({ length: Math.min(WRITTEN, to - from) }, (_, offset) => (
              <span key={offset} class="slot dropped">
                {visibleText(documents[index], from + offset)}
              </span>
            ))}
            {to - from > WRITTEN ? <span class="note">and {counted(to - from - WRITTEN)} more</span> : null}
          </p>
        ),
      )}
    </div>
  )
}

interface RowProps {
  readonly answer: Answer
  readonly index: number
  readonly from: number
  readonly to: number
  /** The focused position, if it is in this window. */
  readonly place: number | undefined
  readonly onPlace: (place: number) => void
}

const NO_TARGET = -100

/** A window: its inputs, and below each the token that comes after it. */
function WindowRow({ answer, index, from, to, place, onPlace }: RowProps) {
  const { batch, documents } = answer
  const { number, inText, document, start, overlap, gap } = windowFacts(answer, index)
  const word = (token: number) => visibleText(documents[document], token)
  return (
    <div role="row" aria-rowindex={index + 1} class="window">
      <div role="rowheader" class="window-name">
        <b>window {counted(number)}</b>
        <span>
          {documents.length > 1 ? `document ${document}, ` : ''}from token {counted(start)}
        </span>
        {answer.recipe.shuffle ? <span>{counted(inText)} in the text’s order</span> : null}
        {gap > 0 ? <span class="gap">{gap} skipped before it</span> : null}
      </div>
      {Array.from({ length: to - from }, (_, offset) => {
        const each = from + offset
        const slot = index * batch.length + each
        const isPadded = batch.mask[slot] === 0
        const target = batch.targets[slot]
        const input = isPadded ? 'pad' : word(start + each)
        const next = target === NO_TARGET ? 'no target' : word(start + each + 1) || String(target)
        const hue = isPadded ? 'padded' : `hue-${(start + each) % 5}`
        return (
          <button
            key={each}
            type="button"
            role="gridcell"
            aria-colindex={each + 1}
            tabIndex={each === place ? 0 : -1}
            aria-selected={each === place}
            class={`slot ${hue} ${each < overlap ? 'shared' : ''}`}
            data-slot={`${index} ${each}`}
            aria-label={`${input} ${next}: position ${each}, id ${batch.ids[slot]}`}
            onClick={() => onPlace(each)}
          >
            <span class="input">{input}</span> <span class="target reveals">{next}</span>
          </button>
        )
      })}
    </div>
  )
}

/** Pixels of the picture: as many windows as it has columns stand side by side in one. */
const WIDTH = 1024
const HEIGHT = 24
/** With fewer windows all are on screen anyway. */
const FEW = 16

const COLOURS = {
  light: { window: '#9fc7c2', here: '#0b6b66' },
  dark: { window: '#2c5f5b', here: '#7fe0d8' },
}

/** All windows of a long text on one line, with the batch on screen marked. */
function Minimap() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const current = answer.value
  const colours = COLOURS[theme.value]
  const offsets = [0]
  for (const { ids } of current?.documents ?? []) offsets.push((offsets.at(-1) as number) + ids.length)
  const total = offsets.at(-1) as number
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || current === undefined) return
    const { windowStarts, windowDocuments, batch } = current
    const scale = WIDTH / total
    context.clearRect(0, 0, WIDTH, HEIGHT)
    context.fillStyle = colours.window
    for (let index = 0; index < windowStarts.length; index++) {
      const left = (offsets[windowDocuments[index]] + windowStarts[index]) * scale
      context.fillRect(left, 8, Math.max(0.5, batch.length * scale - 0.5), 8)
    }
    context.fillStyle = colours.here
    for (let index = 0; index < batch.windows; index++) {
      const left = (offsets[batch.documents[index]] + batch.starts[index]) * scale
      context.fillRect(left, 0, Math.max(2, batch.length * scale), HEIGHT)
    }
  }, [current, colours])
  if (current === undefined || current.windowStarts.length <= FEW) return null
  const { counts, recipe } = current
  return (
    <canvas
      ref={canvas}
      class="minimap"
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`All ${counts.windows} windows; batch ${recipe.batch_index} of ${counts.batches} is marked`}
      onClick={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect()
        const token = Math.floor(((event.clientX - left) / width) * total)
        const document = offsets.findLastIndex((offset) => offset <= token)
        selectToken(document, token - offsets[document])
      }}
    />
  )
}
