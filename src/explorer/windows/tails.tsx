import { counted } from '../draw/digits.js'
import { answer } from '../store.js'
import { textOf } from '../tokens/document-places.js'
import { visible } from '../tokens/places.js'
import { tailsOf } from './window-facts.js'

/** Tokens of a tail that are written out. */
const WRITTEN = 12

/** The tokens at the end that no window takes, and why. */
export function Tails() {
  const current = answer.value
  if (current === undefined || current.counts.droppedTokens === 0) return null
  const { counts, documents, recipe } = current
  const tails = tailsOf(current).map((tail, index) => ({ ...tail, document: documents[index], index }))
  return (
    <div class="tails">
      <p>
        <b>{counted(counts.droppedTokens)}</b>{' '}
        {counts.droppedTokens === 1 ? 'token is in no window' : 'tokens are in no window'}
        {recipe.tail === 'pad' ? '.' : ': a window needs all its inputs and the target after the last one.'}
      </p>
      {tails
        .filter(({ from, to }) => to > from)
        .map(({ from, to, document, index }) => (
          <p key={index} class="tail">
            {documents.length > 1 ? <span class="note">document {index}: </span> : null}
            {Array.from({ length: Math.min(WRITTEN, to - from) }, (_, offset) => (
              <span key={offset} class="slot dropped">
                {visible(textOf(document, from + offset))}
              </span>
            ))}
            {to - from > WRITTEN ? <span class="note">and {counted(to - from - WRITTEN)} more</span> : null}
          </p>
        ))}
    </div>
  )
}
