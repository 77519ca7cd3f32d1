import { useRef } from 'preact/hooks'
import type { TokenDocument } from '../answer/answer.js'
import { selection } from '../store.js'
import { selectToken } from '../windows/select-token.js'
import { placesIn } from './document-places.js'
import { LongStrip } from './long-strip.js'
import { piecesOf } from './pieces.js'
import { tokenPiece, tokenUnder } from './token-piece.js'

/** Tokens of a text that is shown whole. */
const WHOLE = 600

interface Props {
  readonly document: TokenDocument
  readonly index: number
}

/** The tokens of a document as runs of colour. One stop of the Tab key: arrows go from token to token. */
export function TokenStrip({ document, index }: Props) {
  const strip = useRef<HTMLDivElement>(null)
  const { ids, text, starts } = document
  const choose = (token: number) => {
    selectToken(index, Math.max(0, Math.min(ids.length - 1, token)))
    requestAnimationFrame(() => strip.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose(step(chosen ?? 0, ids.length))
  }
  const onClick = (event: MouseEvent) => {
    const token = tokenUnder(event)
    if (token !== undefined) choose(token)
  }
  const chosen = selection.value.document === index ? selection.value.token : undefined
  const label = `Tokens of document ${index}, ${ids.length}`
  if (ids.length > WHOLE) return <LongStrip {...{ document, chosen, label, onKeyDown, onClick, strip }} />
  const pieces = piecesOf(text, placesIn(document), starts, 0, ids.length)
  return (
    <div
      ref={strip}
      class="strip"
      role="listbox"
      aria-label={label}
      aria-orientation="horizontal"
      tabIndex={chosen === undefined ? 0 : -1}
      onFocus={(event) => event.target === event.currentTarget && choose(chosen ?? 0)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {pieces.map((piece) => tokenPiece({ piece, ids, chosen, showIds: true }))}
    </div>
  )
}

/** Tokens that PageUp and PageDown pass. */
const PAGE = 20

const STEPS: Readonly<Record<string, (token: number, count: number) => number>> = {
  ArrowLeft: (token) => token - 1,
  ArrowRight: (token) => token + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
  PageUp: (token) => token - PAGE,
  PageDown: (token) => token + PAGE,
}
