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

/** A token as a button; or tokens that share a character, with the character above them. */
export function TokenPiece({ piece, ...props }: Props) {
  const text = visible(piece.text)
  if (piece.to - piece.from === 1) return <Token {...props} token={piece.from} text={text} name={text} />
  const count = piece.to - piece.from
  return (
    <span class="piece">
      <span class="whole" aria-hidden="true">
        {text}
      </span>
      {Array.from({ length: count }, (_, index) => (
        <Token
          key={index}
          {...props}
          token={piece.from + index}
          text=""
          name={`${text}, part ${index + 1} of ${count}`}
          showIds
        />
      ))}
    </span>
  )
}

interface TokenProps extends Omit<Props, 'piece'> {
  readonly token: number
  readonly text: string
  readonly name: string
}

function Token({ token, text, name, ids, document, showIds, onSelect }: TokenProps) {
  const { document: chosenDocument, token: chosen } = selection.value
  const isChosen = document === chosenDocument && token === chosen
  return (
    <button
      type="button"
      role="option"
      aria-selected={isChosen}
      aria-label={`${name} ${ids[token]}, token ${token}`}
      class={`token hue-${token % 5}`}
      tabIndex={isChosen ? 0 : -1}
      data-token={token}
      onClick={() => onSelect(token)}
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
