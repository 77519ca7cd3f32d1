import type { Piece } from './pieces.js'
import { visible } from './places.js'

interface Props {
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
export function tokenPiece({ piece, ...props }: Props) {
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
export function tokenUnder({ target }: Event): number | undefined {
  const button = (target as Element).closest<HTMLElement>('[data-token]')
  return button === null ? undefined : Number(button.dataset.token)
}

interface TokenProps extends Omit<Props, 'piece'> {
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
