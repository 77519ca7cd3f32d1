import { Refused } from '../../../clients/typescript/src/index.js'
import { BATCH_OUTPUTS } from '../answer/load.js'
import { counted } from '../draw/digits.js'
import { embeddingsFields, isLong, tokenizeFields } from '../recipe/calls.js'
import { change, error, models, recipe } from '../store.js'
import { cutAt, cutToFit } from './cut.js'

/** The request with the most bytes of JSON around a text: a long one goes to the tokenizer alone as JSON. */
function largestFields(text: string) {
  const fields = embeddingsFields({ ...recipe.value, text }, BATCH_OUTPUTS)
  return isLong(fields) ? tokenizeFields(recipe.value, text) : fields
}

/** Offers the text cut at what the service takes, or in half where the limit is another's, as a proxy's. */
export function TooLarge() {
  const { text } = recipe.value
  const limit =
    error.value instanceof Refused && error.value.code === 'body_too_large'
      ? models.value[0]?.limits?.max_json_body_bytes
      : undefined
  const cut = () =>
    limit === undefined ? cutAt(text, text.length >> 1) : cutToFit(text, limit, largestFields)
  return (
    <>
      <p>{error.value?.message} Nothing is cut yet.</p>
      <button type="button" onClick={() => change({ text: cut() })}>
        {limit === undefined ? 'Keep the first half' : `Keep what fits into ${counted(limit)} bytes`}
      </button>
    </>
  )
}
