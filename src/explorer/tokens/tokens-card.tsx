import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { answer, selection } from '../store.js'
import { placesIn, textOf } from './document-places.js'
import { hexOf, tokenBytes, visible } from './places.js'
import { TokenStrip } from './token-strip.js'

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
