import { useRef } from 'preact/hooks'
import type { TokenDocument } from '../answer/answer.js'
import { selection } from '../store.js'
import { selectToken } from '../windows/select-token.js'
import { placesIn } from './document-places.js'
import { LongStrip } from './long-strip.js'
import { piecesOf } from './pieces.js'
import { TokenPiece } from './token-piece.js'

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
  const current = selection.value.document === index ? selection.value.token : 0
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose(step(current, ids.length))
  }
  const label = `Tokens of document ${index}, ${ids.length}`
  if (ids.length > WHOLE) return <LongStrip {...{ document, index, label, onKeyDown, choose, strip }} />
  const pieces = piecesOf(text, placesIn(document), starts, 0, ids.length)
  const isElsewhere = selection.value.document !== index
  return (
    <div
      ref={strip}
      class="strip"
      role="listbox"
      aria-label={label}
      aria-orientation="horizontal"
      tabIndex={isElsewhere ? 0 : -1}
      onFocus={(event) => event.target === event.currentTarget && choose(current)}
      onKeyDown={onKeyDown}
    >
      {pieces.map((piece) => (
        <TokenPiece key={piece.from} {...{ piece, ids, document: index, onSelect: choose }} showIds />
      ))}
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
