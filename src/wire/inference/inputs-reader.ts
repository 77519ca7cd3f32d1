import type { Given } from '../given.js'
import { IdLists } from '../id-lists.js'
import { OPEN_LIST, OPEN_OBJECT, QUOTE } from '../json/characters.js'
import { outOfBounds } from '../json/json-bounds.js'
import type { JsonCursor } from '../json/json-cursor.js'
import type { Rest } from '../json/json-place.js'
import { type LongField, longInput } from '../json/long-fields.js'
import { setMember } from '../json/read-json.js'

/** Most inputs that are read; the schema allows fewer. */
const MAX_INPUTS = 16
/** Levels of JSON around the list, an input, and its members. */
const [LIST_DEPTH, INPUT_DEPTH, MEMBER_DEPTH] = [1, 2, 3]

const NEITHER = 'must be an array of integers, or of such arrays'

/**
 * Reads the list `inputs`: objects whose `data` may be as long as the body. It becomes given documents, be they of a
 * wrong form; all other members are short values.
 */
export const inputsField: LongField = {
  read(cursor, field, give) {
    if (cursor.byte !== OPEN_LIST) {
      give(cursor.short(field, LIST_DEPTH))
      return undefined
    }
    const inputs: unknown[] = []
    give(inputs)
    return cursor.elements((index) => {
      if (index === MAX_INPUTS) throw outOfBounds(field, `have at most ${MAX_INPUTS} elements`)
      if (cursor.byte === OPEN_OBJECT) return readInput(cursor, field, index, inputs)
      inputs.push(cursor.short(field, INPUT_DEPTH))
      return undefined
    })
  },
}

function readInput(cursor: JsonCursor, field: string, index: number, inputs: unknown[]): Rest {
  const input: Record<string, unknown> = {}
  inputs.push(input)
  const give = (data: Given) => {
    input.data = data
  }
  return cursor.members((key) => {
    if (key === 'data' && (cursor.byte === OPEN_LIST || cursor.byte === QUOTE)) {
      return longInput.read(cursor, `${field}.${index}.data`, give)
    }
    const value = cursor.short(field, MEMBER_DEPTH)
    setMember(input, key, key === 'data' ? IdLists.faulty(NEITHER, value) : value)
    return undefined
  }, field)
}
