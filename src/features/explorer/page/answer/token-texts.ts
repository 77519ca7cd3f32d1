import { Refused } from '../../../../../clients/typescript/src/index.js'
import type { Calls } from '../calls.js'

/** Most ids whose texts are asked for at once. */
const MOST = 256

/** Questions are not given up: the next card may wait for the same text. */
const known = new Map<string, Promise<string>>()

/**
 * The text of each id: " cat" for 3797. An id that has no text is written as its number.
 *
 * @param isNumbers the model has no tokenizer: no id has a text, and no call is made
 */
export function tokenTexts(
  client: Calls,
  model: string | undefined,
  ids: ArrayLike<number>,
  isNumbers: boolean,
): Promise<string[]> {
  const count = isNumbers ? 0 : MOST
  return Promise.all(Array.from(ids, (id, index) => (index < count ? textOf(client, model, id) : `#${id}`)))
}

function textOf(client: Calls, model: string | undefined, id: number): Promise<string> {
  const key = `${model ?? ''} ${id}`
  const text = known.get(key) ?? ask(client, model, id)
  known.set(key, text)
  text.catch(() => known.delete(key))
  return text
}

async function ask(client: Calls, model: string | undefined, id: number): Promise<string> {
  try {
    return (await client.detokenize({ input_ids: [id], model })).text
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return `#${id}`
    throw error
  }
}
