import type { ComponentChildren } from 'preact'
import { Card, gridKeys, Slider } from './card.js'
import type { Answer } from './load.js'
import { counted } from './numbers.js'
import { selection, selectToken } from './store.js'
import { endOf, hexOf, type Piece, piecesOf, type TokenDocument, visibleText } from './tokens.js'

/** The text in its tokens, and what is known of the selected one. */
export function TokensCard({ documents, counts, recipe }: Answer) {
  const characters = recipe.documents === 'ids' ? '' : ` from ${counted(counts.num_characters)} characters`
  return (
    <Card
      id="tokens"
      title="Tokens"
      about={
        documents[0].isNumbers
          ? 'This model has no tokenizer here: it is given ids, each the number of a row.'
          : 'The tokenizer cuts the text into pieces that it knows, and gives each its number: its id.'
      }
      gives={`${counted(counts.num_tokens)} ids${characters}`}
    >
      <div class="strips">
        {documents.map((document, index) => (
          <TokenStrip key={index} {...{ document, index }} />
        ))}
      </div>
      <Chosen {...{ documents }} />
    </Card>
  )
}

function Chosen({ documents }: Pick<Answer, 'documents'>) {
  const { document: index, token } = selection.value
  const document = documents[index]
  if (document === undefined || token >= document.ids.length) return null
  const { starts, ids, isNumbers } = document
  const fact = (name: string, value: ComponentChildren) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
  const place = `bytes ${counted(starts[token])} to ${counted(endOf(document, token))} of the text`
  return (
    <dl class="facts">
      {fact('token, counted from 0', [
        `${counted(token)} `,
        <b class={`token hue-${token % 5}`}>{visibleText(document, token)}</b>,
      ])}
      {fact('id', ids[token])}
      {isNumbers ? null : fact(place, <code>{hexOf(document, token)}</code>)}
    </dl>
  )
}

/** Tokens of a document that are on screen at once. */
const SHOWN = 400

/** The tokens of a document as runs of colour. One stop of the Tab key: arrows go from token to token. */
function TokenStrip({ document, index }: { readonly document: TokenDocument; readonly index: number }) {
  const { length } = document.ids
  const chosen = selection.value.document === index ? selection.value.token : undefined
  const page = Math.floor((chosen ?? 0) / SHOWN)
  const from = page * SHOWN
  const to = Math.min(length, from + SHOWN)
  const cell = { row: 0, column: chosen ?? 0 }
  return (
    <div>
      <Slider
        label={`tokens ${counted(from)} to ${counted(to - 1)} of ${counted(length)}`}
        value={page}
        max={Math.ceil(length / SHOWN) - 1}
        onValue={(value) => selectToken(index, value * SHOWN)}
      />
      <div
        class="strip"
        role="listbox"
        aria-orientation="horizontal"
        aria-label={`Tokens of document ${index}, ${length}`}
        onKeyDown={gridKeys(cell, 1, length, ({ column }) => selectToken(index, column))}
        onClick={({ target }) => {
          const button = (target as Element).closest<HTMLElement>('[data-token]')
          if (button !== null) selectToken(index, Number(button.dataset.token))
        }}
      >
        {piecesOf(document, from, to).map((piece) => tokenPiece(piece, document.ids, chosen, from))}
      </div>
    </div>
  )
}

/**
 * A token as a button; or tokens that share a character, with the character above them. Not a component, and without
 * handlers: a strip has hundreds, and its own handler reads `data-token`.
 */
function tokenPiece({ text, from, to }: Piece, ids: Int32Array, chosen: number | undefined, first: number) {
  const button = (token: number, own: string, name: string) => (
    <button
      key={token}
      type="button"
      role="option"
      aria-selected={token === chosen}
      aria-label={`${name} ${ids[token]}, token ${token}`}
      class={`token hue-${token % 5}`}
      tabIndex={token === (chosen ?? first) ? 0 : -1}
      data-token={token}
    >
      {own === '' ? null : <span class="text">{own}</span>} <span class="id">{ids[token]}</span>
    </button>
  )
  const count = to - from
  if (count === 1) return button(from, text, text)
  return (
    <span key={from} class="piece">
      <span class="whole" aria-hidden="true">
        {text}
      </span>
      {Array.from({ length: count }, (_, part) =>
        button(from + part, '', `${text}, part ${part + 1} of ${count}`),
      )}
    </span>
  )
}
