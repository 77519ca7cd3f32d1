import { fileError, isObject, type JsonObject } from '../../first-layer/tokens/tokenizer-file/fields.js'
import { type FileModel, readModel } from '../../first-layer/tokens/tokenizer-file/model-vocabulary.js'
import { readAddedTokens } from '../../first-layer/tokens/tokenizer-file/tokenizer-facts.js'
import { TOKENIZER_FILE } from '../checkpoint-files.js'

/** A static model's facts of its tokenizer. */
export interface StaticTokenizer {
  /** Tokens, added ones included. */
  readonly vocabSize: number
  readonly unknownId: number | undefined
  /** Median of the tokens' lengths in code points, rounded down. */
  readonly medianTokenLength: number
  /** Most ids of a text, if the file limits them. */
  readonly truncation: number | undefined
  /** Whether a longer text keeps its last ids, not its first. */
  readonly truncatesLeft: boolean
}

/**
 * @param json tokenizer.json
 * @throws InletError `model_failed` that names file, field, rule and value
 */
export function staticTokenizer(json: JsonObject): StaticTokenizer {
  const model = readModel(json, TOKENIZER_FILE)
  const ids = new Map(model.vocabulary)
  for (const { content, id } of readAddedTokens(json, model.vocabulary, TOKENIZER_FILE)) ids.set(content, id)
  return {
    vocabSize: ids.size,
    unknownId: unknownIdOf(model, ids),
    medianTokenLength: Math.floor(median([...ids.keys()].map((token) => [...token].length))),
    ...truncationOf(json),
  }
}

/** Unigram names its unknown token by its id, the others by its literal. */
function unknownIdOf({ json }: FileModel, ids: ReadonlyMap<string, number>): number | undefined {
  const { unk_token: literal, unk_id: id } = json
  const named = typeof literal === 'string' ? ids.get(literal) : undefined
  return named ?? (Number.isSafeInteger(id) ? (id as number) : undefined)
}

function truncationOf({ truncation }: JsonObject): Pick<StaticTokenizer, 'truncation' | 'truncatesLeft'> {
  if (truncation === undefined || truncation === null) return { truncation: undefined, truncatesLeft: false }
  const place = { file: TOKENIZER_FILE, path: '' }
  if (!isObject(truncation)) throw fileError(place, 'truncation', 'an object, or null', truncation)
  const { max_length: most, direction = 'Right' } = truncation
  if (!Number.isSafeInteger(most) || (most as number) < 0)
    throw fileError(place, 'truncation.max_length', 'a whole number of at least 0', most)
  if (direction !== 'Left' && direction !== 'Right')
    throw fileError(place, 'truncation.direction', 'Left or Right', direction)
  return { truncation: most as number, truncatesLeft: direction === 'Left' }
}

function median(lengths: number[]): number {
  const sorted = Int32Array.from(lengths).sort()
  const middle = sorted.length >> 1
  if (sorted.length === 0) return 0
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
