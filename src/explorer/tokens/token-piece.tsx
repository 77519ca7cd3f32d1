import { selection } from '../store.js'
import type { Piece } from './pieces.js'
import { visible } from './places.js'

interface Props {
  readonly piece: Piece
  readonly ids: Int32Array
  readonly document: number
  readonly showIds: boolean
  readonly onSelect: (token: number) => void
}

/** Tokens that share a character: its text, and below it a button with the id of each. */
export function TokenPiece({ piece, ids, document, showIds, onSelect }: Props) {
  const { document: chosenDocument, token: chosen } = selection.value
  const tokens = Array.from({ length: piece.to - piece.from }, (_, index) => piece.from + index)
  const text = visible(piece.text)
  return (
    <span class={tokens.length > 1 ? 'piece several' : 'piece'}>
      {tokens.length > 1 ? (
        <span class="whole" aria-hidden="true">
          {text}
        </span>
      ) : null}
      {tokens.map((token, index) => {
        const isChosen = document === chosenDocument && token === chosen
        const part = tokens.length > 1 ? `, part ${index + 1} of ${tokens.length}` : ''
        return (
          <button
            key={token}
            type="button"
            role="option"
            aria-selected={isChosen}
            aria-label={`token ${token}: ${text}${part}, id ${ids[token]}`}
            class={`token hue-${token % 5}`}
            tabIndex={isChosen ? 0 : -1}
            data-token={token}
            onClick={() => onSelect(token)}
          >
            {tokens.length > 1 ? null : <span class="text">{text}</span>}
            {showIds || tokens.length > 1 ? <span class="id">{ids[token]}</span> : null}
          </button>
        )
      })}
    </span>
  )
}
