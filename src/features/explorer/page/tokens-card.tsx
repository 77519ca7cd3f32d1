import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TokenDocument } from './answer.js'
import { Card } from './card.js'
import { counted } from './numbers.js'
import { answer, selection, selectToken } from './store.js'
import {
  hexOf,
  lineOf,
  linesOf,
  type Piece,
  piecesOf,
  placesIn,
  textOf,
  tokenBytes,
  visible,
} from './tokens.js'

/** The text in its tokens, and what is known of the selected one. */
export function TokensCard() {
  const current = answer.value
  if (current === undefined) return null
  const { documents, counts, recipe } = current
  return (
    <Card
      id="tokens"
      title="Tokens"
      about={
        documents[0].isNumbers
          ? 'This model has no tokenizer here: it is given ids, each the number of a row.'
          : 'The tokenizer cuts the text into pieces that it knows, and gives each its number: its id.'
      }
      gives={
        recipe.documents === 'ids'
          ? `${counted(counts.tokens)} ids`
          : `${counted(counts.tokens)} ids from ${counted(counts.characters)} characters`
      }
    >
      <div class="strips reveals">
        {documents.map((document, index) => (
          <TokenStrip key={index} {...{ document, index }} />
        ))}
      </div>
      <Chosen />
    </Card>
  )
}

function Chosen() {
  const { document: index, token } = selection.value
  const document = answer.value?.documents[index]
  if (document === undefined || token >= document.ids.length) return null
  const { starts, ids, text } = document
  const bytes = tokenBytes(text, placesIn(document), starts, token)
  return (
    <dl class="facts">
      <div>
        <dt>token, counted from 0</dt>
        <dd>
          {counted(token)} <b class={`token hue-${token % 5}`}>{visible(textOf(document, token))}</b>
        </dd>
      </div>
      <div>
        <dt>id</dt>
        <dd>{ids[token]}</dd>
      </div>
      {document.isNumbers ? null : (
        <>
          <div>
            <dt>bytes</dt>
            <dd>
              <code>{hexOf(bytes)}</code>
            </dd>
          </div>
          <div>
            <dt>place in the text, in bytes</dt>
            <dd>
              {counted(starts[token])} to {counted(starts[token + 1])}
            </dd>
          </div>
        </>
      )}
    </dl>
  )
}

/** Tokens of a text that is shown whole. */
const WHOLE = 600

interface Props {
  readonly document: TokenDocument
  readonly index: number
}

/** The tokens of a document as runs of colour. One stop of the Tab key: arrows go from token to token. */
function TokenStrip({ document, index }: Props) {
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

/** Height of a line and of the part that is seen, in CSS pixels. */
const LINE = 32
const SEEN = 320

/** Width of a letter, and of what stands beside the letters, in CSS pixels. */
const LETTER = 9.2
const BESIDE = 24

/** Letters of a line, as they were last: a guess at first. */
let lastColumns = Math.floor((Math.min(1060, innerWidth - 40) - 98 - BESIDE) / LETTER)

interface LongProps {
  readonly document: TokenDocument
  /** The selected token, where it is one of this document. */
  readonly chosen: number | undefined
  readonly label: string
  readonly strip: RefObject<HTMLDivElement | null>
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onClick: (event: MouseEvent) => void
}

/** The strip of a long text: only the lines that are seen are in the page. */
function LongStrip({ document, chosen, label, strip, onKeyDown, onClick }: LongProps) {
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

interface PieceProps {
  readonly piece: Piece
  readonly ids: Int32Array
  /** The selected token, where it is one of this document. */
  readonly chosen: number | undefined
  readonly showIds: boolean
}

/**
 * A token as a button; or tokens that share a character, with the character above them. No component, and without
 * handlers: a strip has hundreds, and its own handler reads `data-token`.
 */
function tokenPiece({ piece, ...props }: PieceProps) {
  const text = visible(piece.text)
  const count = piece.to - piece.from
  if (count === 1) return tokenButton({ ...props, token: piece.from, text, name: text })
  return (
    <span key={piece.from} class="piece">
      <span class="whole" aria-hidden="true">
        {text}
      </span>
      {Array.from({ length: count }, (_, index) => {
        const name = `${text}, part ${index + 1} of ${count}`
        return tokenButton({ ...props, token: piece.from + index, text: '', name, showIds: true })
      })}
    </span>
  )
}

/** The token whose button an event came from. */
function tokenUnder({ target }: Event): number | undefined {
  const button = (target as Element).closest<HTMLElement>('[data-token]')
  return button === null ? undefined : Number(button.dataset.token)
}

interface TokenProps extends Omit<PieceProps, 'piece'> {
  readonly token: number
  readonly text: string
  readonly name: string
}

function tokenButton({ token, text, name, ids, chosen, showIds }: TokenProps) {
  const isChosen = token === chosen
  return (
    <button
      key={token}
      type="button"
      role="option"
      aria-selected={isChosen}
      aria-label={`${name} ${ids[token]}, token ${token}`}
      class={`token hue-${token % 5}`}
      tabIndex={isChosen ? 0 : -1}
      data-token={token}
    >
      {showIds ? (
        <>
          {text === '' ? null : <span class="text">{text}</span>} <span class="id">{ids[token]}</span>
        </>
      ) : (
        text
      )}
    </button>
  )
}
