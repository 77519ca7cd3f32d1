import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
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
  type TokenDocument,
  tokenBytes,
  visible,
  visibleText,
} from './tokens.js'

/** The text in its tokens, and what is known of the selected one. */
export function TokensCard() {
  const current = answer.value
  if (current === undefined) return null
  const { documents, counts, recipe } = current
  const characters = recipe.documents === 'ids' ? '' : ` from ${counted(counts.characters)} characters`
  return (
    <Card
      id="tokens"
      title="Tokens"
      about={
        documents[0].isNumbers
          ? 'This model has no tokenizer here: it is given ids, each the number of a row.'
          : 'The tokenizer cuts the text into pieces that it knows, and gives each its number: its id.'
      }
      gives={`${counted(counts.tokens)} ids${characters}`}
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
  const fact = (name: string, value: preact.ComponentChildren) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
  return (
    <dl class="facts">
      {fact(
        'token, counted from 0',
        <>
          {counted(token)} <b class={`token hue-${token % 5}`}>{visibleText(document, token)}</b>
        </>,
      )}
      {fact('id', ids[token])}
      {document.isNumbers ? null : (
        <>
          {fact('bytes', <code>{hexOf(tokenBytes(text, placesIn(document), starts, token))}</code>)}
          {fact(
            'position in the text, in bytes',
            `${counted(starts[token])} to ${counted(starts[token + 1])}`,
          )}
        </>
      )}
    </dl>
  )
}

const WHOLE = 600

/** The tokens of a document as runs of colour. One stop of the Tab key: arrows go from token to token. */
function TokenStrip({ document, index }: { readonly document: TokenDocument; readonly index: number }) {
  const strip = useRef<HTMLDivElement>(null)
  const { ids, text, starts } = document
  const chosen = selection.value.document === index ? selection.value.token : undefined
  const choose = (token: number) => {
    selectToken(index, Math.max(0, Math.min(ids.length - 1, token)))
    requestAnimationFrame(() => strip.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus())
  }
  const shared = {
    ref: strip,
    'aria-label': `Tokens of document ${index}, ${ids.length}`,
    onKeyDown(event: KeyboardEvent) {
      const step = STEPS[event.key]
      if (step === undefined) return
      event.preventDefault()
      choose(step(chosen ?? 0, ids.length))
    },
    onClick({ target }: Event) {
      const button = (target as Element).closest<HTMLElement>('[data-token]')
      if (button !== null) choose(Number(button.dataset.token))
    },
  }
  if (ids.length > WHOLE) return <LongStrip {...{ document, chosen, shared }} />
  const pieces = piecesOf(text, placesIn(document), starts, 0, ids.length)
  return (
    <div
      {...shared}
      role="listbox"
      class="strip"
      aria-orientation="horizontal"
      tabIndex={chosen === undefined ? 0 : -1}
      onFocus={(event) => event.target === event.currentTarget && choose(chosen ?? 0)}
    >
      {pieces.map((piece) => tokenPiece(piece, ids, chosen, true))}
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

/** Width of a letter, and of the space beside the letters, in CSS pixels. */
const LETTER = 9.2
const BESIDE = 24

/** Letters of a line, as they were last: a guess at first. */
let lastColumns = Math.floor((Math.min(1060, innerWidth - 40) - 98 - BESIDE) / LETTER)

interface LongProps {
  readonly document: TokenDocument
  /** The selected token, if it is one of this document. */
  readonly chosen: number | undefined
  /** Attributes of the strip. */
  readonly shared: preact.HTMLAttributes<HTMLDivElement> & {
    readonly ref: preact.RefObject<HTMLDivElement | null>
  }
}

/** The strip of a long text: only the lines that are seen are in the page. */
function LongStrip({ document, chosen, shared }: LongProps) {
  const [top, setTop] = useState(0)
  const [columns, setColumns] = useState(lastColumns)
  const places = placesIn(document)
  const lines = useMemo(() => linesOf(document.text, places, columns), [document, places, columns])
  const count = lines.length - 1
  useEffect(() => {
    const element = shared.ref.current as HTMLDivElement
    const observer = new ResizeObserver(() => {
      lastColumns = Math.max(10, Math.floor((element.clientWidth - BESIDE) / LETTER))
      setColumns(lastColumns)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const chosenLine = chosen === undefined ? 0 : lineOf(lines, chosen)
  useEffect(() => {
    const element = shared.ref.current as HTMLDivElement
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
      {...shared}
      role="listbox"
      class="strip long"
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <Sized name="height" pixels={count * LINE}>
        {shown.map((line) => (
          <Sized key={line} name="top" pixels={line * LINE}>
            {piecesOf(document.text, places, document.starts, lines[line], lines[line + 1]).map((piece) =>
              tokenPiece(piece, document.ids, chosen, false),
            )}
          </Sized>
        ))}
      </Sized>
    </div>
  )
}

interface SizedProps {
  /** `height`: as high as the whole text would be. `top`: a line at its position. */
  readonly name: 'height' | 'top'
  readonly pixels: number
  readonly children: preact.ComponentChildren
}

function Sized({ name, pixels, children }: SizedProps) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.style.setProperty(`--${name}`, `${pixels}px`), [pixels])
  return (
    <div ref={element} class={name === 'top' ? 'line' : 'sized'} role="presentation">
      {children}
    </div>
  )
}

/**
 * A token as a button; or tokens that share a character, with the character above them. Not a component, and without
 * handlers: a strip has hundreds, and its own handler reads `data-token`.
 */
function tokenPiece(piece: Piece, ids: Int32Array, chosen: number | undefined, showIds: boolean) {
  const text = visible(piece.text)
  const count = piece.to - piece.from
  const button = (token: number, text: string, name: string, showId: boolean) => (
    <button
      key={token}
      type="button"
      role="option"
      aria-selected={token === chosen}
      aria-label={`${name} ${ids[token]}, token ${token}`}
      class={`token hue-${token % 5}`}
      tabIndex={token === chosen ? 0 : -1}
      data-token={token}
    >
      {showId ? (
        <>
          {text === '' ? null : <span class="text">{text}</span>} <span class="id">{ids[token]}</span>
        </>
      ) : (
        text
      )}
    </button>
  )
  if (count === 1) return button(piece.from, text, text, showIds)
  return (
    <span key={piece.from} class="piece">
      <span class="whole" aria-hidden="true">
        {text}
      </span>
      {Array.from({ length: count }, (_, index) =>
        button(piece.from + index, '', `${text}, part ${index + 1} of ${count}`, true),
      )}
    </span>
  )
}
