import { z } from 'zod'
import { fileError, isObject, type JsonObject, type Place, parsed, typeOf, unicode } from './fields.js'

/** The highest id: with more, the tables would not fit into memory. */
export const MAX_TOKEN_ID = 2 ** 24 - 1

/** The part `model` of tokenizer.json. */
export interface FileModel {
  /** Old files lack it: then guessed as in the Rust library. */
  readonly type: ModelType
  /** Token → id. */
  readonly vocabulary: ReadonlyMap<string, number>
  readonly json: JsonObject
}

/** The models of the Rust library. Another type is refused here, before an encoder is chosen (choose-tokenizer.ts). */
const MODEL_TYPES = ['BPE', 'WordPiece', 'WordLevel', 'Unigram'] as const
type ModelType = (typeof MODEL_TYPES)[number]

/** Reads `model`. @throws InletError `model_failed` */
export function readModel(root: JsonObject, file: string): FileModel {
  const json = root.model
  if (!isObject(json)) throw fileError({ file, path: '' }, 'model', 'an object', json)
  const place = { file, path: 'model' }
  const type = json.type === undefined ? guessedType(json) : typeOf(json)
  if (!isModelType(type)) throw fileError(place, 'type', `one of ${MODEL_TYPES.join(', ')}`, json.type)
  const vocabulary = type === 'Unigram' ? readList(json.vocab, place) : readMap(json.vocab, place)
  return { type, vocabulary, json }
}

const ID = `an integer from 0 to ${MAX_TOKEN_ID}`
export const tokenId = z.int(ID).min(0, ID).max(MAX_TOKEN_ID, ID)

function isModelType(type: string | undefined): type is ModelType {
  return (MODEL_TYPES as readonly unknown[]).includes(type)
}

function guessedType(json: JsonObject): ModelType {
  if (json.merges !== undefined) return 'BPE'
  if (json.max_input_chars_per_word !== undefined) return 'WordPiece'
  return Array.isArray(json.vocab) ? 'Unigram' : 'WordLevel'
}

function readMap(vocab: unknown, place: Place): Map<string, number> {
  if (!isObject(vocab)) throw fileError(place, 'vocab', 'an object', vocab)
  const vocabulary = new Map<string, number>()
  const ids = new Set<number>()
  for (const token of Object.keys(vocab)) {
    const field = `vocab.${token}`
    if (!token.isWellFormed()) parsed(unicode, token, place, field)
    const id = vocab[token] as number
    if (!(Number.isInteger(id) && id >= 0 && id <= MAX_TOKEN_ID)) throw fileError(place, field, ID, id)
    if (ids.has(id)) throw fileError(place, field, 'an id that no other token has', id)
    ids.add(id)
    vocabulary.set(token, id)
  }
  return vocabulary
}

/** Unigram: a list of [token, score], whose index is the id. The later index counts for a repeated token. */
function readList(vocab: unknown, place: Place): Map<string, number> {
  if (!Array.isArray(vocab)) throw fileError(place, 'vocab', 'an array', vocab)
  const vocabulary = new Map<string, number>()
  vocab.forEach((entry, id) => {
    const field = `vocab.${id}`
    if (!Array.isArray(entry) || entry.length !== 2 || typeof entry[1] !== 'number')
      throw fileError(place, field, 'a token and its score', entry)
    vocabulary.set(parsed(unicode, entry[0], place, field), id)
  })
  return vocabulary
}
