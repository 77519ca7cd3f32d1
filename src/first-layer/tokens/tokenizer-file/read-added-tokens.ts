import type { AddedToken } from '../added-token.js'
import { booleanField, fileError, isObject, type JsonObject, type Place, stringField } from './fields.js'
import { idOf, MAX_TOKEN_ID } from './model-vocabulary.js'

/**
 * Reads `added_tokens`, with the Rust library's ids: the model's id if its vocabulary has the token, else the next id
 * behind the vocabulary. The library ignores the ids in the file.
 *
 * @throws InletError `model_failed`
 */
export function readAddedTokens(
  root: JsonObject,
  vocabulary: ReadonlyMap<string, number>,
  file: string,
): AddedToken[] {
  const entries = root.added_tokens ?? []
  if (!Array.isArray(entries)) throw fileError({ file, path: '' }, 'added_tokens', 'an array', entries)
  const idsOfFile = new Set<number>()
  const tokens = new Map<string, AddedToken>()
  let next = vocabulary.size
  entries.forEach((entry, i) => {
    const place = { file, path: `added_tokens.${i}` }
    if (!isObject(entry)) throw fileError(place, '', 'an object', entry)
    const idOfFile = idOf(entry.id, 'id', place)
    if (idsOfFile.has(idOfFile)) throw fileError(place, 'id', 'an id that no other added token has', idOfFile)
    idsOfFile.add(idOfFile)
    const content = stringField(entry, 'content', place)
    if (content === '') return
    const id = vocabulary.get(content) ?? tokens.get(content)?.id ?? next++
    if (id > MAX_TOKEN_ID) throw fileError(place, 'id', `at most ${MAX_TOKEN_ID}`, id)
    tokens.set(content, readToken(entry, id, content, place))
  })
  return [...tokens.values()]
}

function readToken(entry: JsonObject, id: number, content: string, place: Place): AddedToken {
  const special = booleanField(entry, 'special', place, false)
  return {
    id,
    content,
    special,
    normalized: booleanField(entry, 'normalized', place, !special),
    singleWord: booleanField(entry, 'single_word', place, false),
    lstrip: booleanField(entry, 'lstrip', place, false),
    rstrip: booleanField(entry, 'rstrip', place, false),
  }
}
