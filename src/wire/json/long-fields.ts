import { z } from 'zod'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import type { Given } from '../given.js'
import { IdLists } from '../id-lists.js'
import { OPEN_LIST, QUOTE } from './characters.js'
import { IdReader } from './id-reader.js'
import type { JsonCursor } from './json-cursor.js'
import type { Rest } from './json-place.js'
import { TextReader } from './text-reader.js'

/** Levels of JSON around a member of the body. */
const DEPTH = 1

/** How a field is read whose value may be as long as the body: the cursor moves behind it, the value is given on. */
export interface LongField<Value = unknown> {
  read(cursor: JsonCursor, field: string, give: (value: Value) => void): Rest
}

type Give = (value: Given) => void

/** The long fields of a body, by name. All others are short. */
export type LongFields = ReadonlyMap<string, LongField>

const bySchema = new WeakMap<z.core.$ZodType, LongField>()

/** Notes how the fields of this schema are read: the schema gets what the reader gives. */
export function asLongField<Schema extends z.ZodType>(schema: Schema, long: LongField): Schema {
  bySchema.set(schema, long)
  return schema
}

/** The long fields of a body's schema. */
export function longFieldsOf(schema: z.ZodType): LongFields {
  const fields = new Map<string, LongField>()
  if (!(schema instanceof z.ZodObject)) return fields
  for (const [name, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const long = longFieldOf(field)
    if (long !== undefined) fields.set(name, long)
  }
  return fields
}

/** Of an optional field that of the field; of a copy with a description that of its original. */
function longFieldOf(field: z.core.$ZodType): LongField | undefined {
  if (field instanceof z.ZodOptional) return longFieldOf(field.unwrap())
  const { parent } = field._zod
  return bySchema.get(field) ?? (parent && longFieldOf(parent))
}

/** Reads a string. */
export const longText: LongField<Given> = {
  read(cursor, field, give) {
    if (cursor.byte === QUOTE) return cursor.long(new TextReader(cursor.bytes, field, 1), give)
    return wrongForm(cursor, field, 'must be a string', give)
  },
}

/** Reads a string or a list of strings. */
export const longTexts: LongField<Given> = {
  read(cursor, field, give) {
    if (cursor.byte === QUOTE || cursor.byte === OPEN_LIST) return textsOf(cursor, field, give)
    return wrongForm(cursor, field, 'must be a string or an array of strings', give)
  },
}

/** Reads a list of ids. */
export const longIds: LongField<Given> = {
  read(cursor, field, give) {
    if (cursor.byte === OPEN_LIST) return cursor.long(new IdReader(cursor.bytes, field, 0), give)
    return wrongForm(cursor, field, 'must be an array of integers', give)
  },
}

/** Reads a list of ids, or a list of such lists. */
export const longIdLists: LongField<Given> = {
  read(cursor, field, give) {
    if (cursor.byte === OPEN_LIST) return idsOf(cursor, field, give)
    return wrongForm(cursor, field, 'must be an array of integers, or of such arrays', give)
  },
}

/** Reads a string, a list of strings, a list of ids or a list of such lists. */
export const longInput: LongField<Given> = {
  read(cursor, field, give) {
    if (cursor.byte === QUOTE) return textsOf(cursor, field, give)
    if (cursor.byte !== OPEN_LIST) return wrongForm(cursor, field, 'must be a string or an array', give)
    const start = cursor.at
    cursor.take(OPEN_LIST)
    if (cursor.skipSpace()) return afterSpace(cursor, start, field, give)
    return listOf(cursor, start, field, give)
  },
}

/** Reads the list that begins at `start`; the cursor stands at its first element. */
function listOf(cursor: JsonCursor, start: number, field: string, give: Give): Rest {
  const isText = cursor.byte === QUOTE
  cursor.at = start
  return isText ? textsOf(cursor, field, give) : idsOf(cursor, field, give)
}

function* afterSpace(cursor: JsonCursor, start: number, field: string, give: Give): Steps<void> {
  do yield PAUSE
  while (cursor.skipSpace())
  const rest = listOf(cursor, start, field, give)
  if (rest !== undefined) yield* rest
}

function textsOf(cursor: JsonCursor, field: string, give: Give): Rest {
  return cursor.long(new TextReader(cursor.bytes, field, cursor.maxDocuments), give)
}

function idsOf(cursor: JsonCursor, field: string, give: Give): Rest {
  return cursor.long(new IdReader(cursor.bytes, field, cursor.maxDocuments), give)
}

function wrongForm(cursor: JsonCursor, field: string, rule: string, give: Give): undefined {
  give(IdLists.faulty(rule, cursor.short(field, DEPTH)))
}
