import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TokenDocument } from '../answer/answer.js'
import { placesIn } from './document-places.js'
import { lineOf, linesOf } from './lines.js'
import { piecesOf } from './pieces.js'
import { tokenPiece } from './token-piece.js'

/** Height of a line and of the part that is seen, in CSS pixels. */
const LINE = 32
const SEEN = 320

/** Width of a letter, and of what stands beside the letters, in CSS pixels. */
const LETTER = 9.2
const BESIDE = 24

/** Letters of a line, as they were last: a guess at first. */
let lastColumns = Math.floor((Math.min(1060, innerWidth - 40) - 98 - BESIDE) / LETTER)

interface Props {
  readonly document: TokenDocument
  /** The selected token, where it is one of this document. */
  readonly chosen: number | undefined
  readonly label: string
  readonly strip: RefObject<HTMLDivElement | null>
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onClick: (event: MouseEvent) => void
}

/** The strip of a long text: only the lines that are seen are in the page. */
export function LongStrip({ document, chosen, label, strip, onKeyDown, onClick }: Props) {
  const [top, setTop] = useState(0)
  const [columns, setColumns] = useState(lastColumns)
  const places = placesIn(document)
  const lines = useMemo(() => linesOf(document.text, places, columns), [document, places, columns])
  const count = lines.length - 1
  useEffect(() => {
    const element = strip.current as HTMLDivElement
    const observer = new ResizeObserver(() => {
      lastColumns = Math.max(10, Math.floor((element.clientWidth - BESIDE) / LETTER))
      setColumns(lastColumns)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const chosenLine = chosen === undefined ? 0 : lineOf(lines, chosen)
  useEffect(() => {
    const element = strip.current as HTMLDivElement
    const place = chosenLine * LINE
    if (place < element.scrollTop || place > element.scrollTop + SEEN - LINE) {
      element.scrollTop = place - SEEN / 2
      setTop(element.scrollTop)
    }
  }, [chosenLine])
  const first = Math.max(0, Math.floor(top / LINE) - 2)
  const shown = Array.from({ length: Math.min(count - first, SEEN / LINE + 5) }, (_, line) => first + line)
  return (
    <div
      ref={strip}
      class="strip long"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <Sized height={count * LINE}>
        {shown.map((line) => (
          <Line key={line} top={line * LINE}>
            {piecesOf(document.text, places, document.starts, lines[line], lines[line + 1]).map((piece) =>
              tokenPiece({ piece, ids: document.ids, chosen, showIds: false }),
            )}
          </Line>
        ))}
      </Sized>
    </div>
  )
}

/** As high as the whole text would be. */
function Sized({ height, children }: { readonly height: number; readonly children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.style.setProperty('--height', `${height}px`), [height])
  return (
    <div ref={element} class="sized" role="presentation">
      {children}
    </div>
  )
}

/** A line at its place. */
function Line({ top, children }: { readonly top: number; readonly children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.style.setProperty('--top', `${top}px`), [top])
  return (
    <div ref={element} class="line" role="presentation">
      {children}
    </div>
  )
}
