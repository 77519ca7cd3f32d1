import { useRef } from 'preact/hooks'
import type { TokenDocument } from '../answer/answer.js'
import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { answer, selection } from '../store.js'
import { selectToken } from '../windows/select-token.js'
import { placesIn, textOf } from './document-places.js'
import { LongStrip } from './long-strip.js'
import { piecesOf } from './pieces.js'
import { hexOf, tokenBytes, visible } from './places.js'
import { tokenPiece, tokenUnder } from './token-piece.js'

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
