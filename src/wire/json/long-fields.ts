import { OPEN_LIST, QUOTE } from './characters.js'
import { IdReader } from './id-reader.js'
import { InputReader } from './input-reader.js'
import type { LongReader } from './long-reader.js'
import { TextReader } from './text-reader.js'

/** The reader of a field whose value may be as long as the body. */
export interface LongField {
  /** Whether this reader takes a value that begins with this byte. Any other value is read as a short one. */
  begins(byte: number): boolean
  reader(bytes: Buffer, field: string, maxDocuments: number): LongReader
}

/** The long fields of a body, by name. All others are short. */
export type LongFields = Readonly<Record<string, LongField>>

/** A string, as a LongText. */
export const longText: LongField = {
  begins: (byte) => byte === QUOTE,
  reader: (bytes, field) => new TextReader(bytes, field, 1),
}

/** A string, as a LongText, or a list of strings, as LongTexts. */
export const longTexts: LongField = {
  begins: (byte) => byte === QUOTE || byte === OPEN_LIST,
  reader: (bytes, field, maxDocuments) => new TextReader(bytes, field, maxDocuments),
}

/** A list of ids, as IdLists. */
export const longIds: LongField = {
  begins: (byte) => byte === OPEN_LIST,
  reader: (bytes, field) => new IdReader(bytes, field, 0),
}

/** A list of ids, or a list of such lists, as IdLists. */
export const longIdLists: LongField = {
  begins: (byte) => byte === OPEN_LIST,
  reader: (bytes, field, maxDocuments) => new IdReader(bytes, field, maxDocuments),
}

/** A string or a list of strings, as LongText or LongTexts; a list of ids or a list of such lists, as IdLists. */
export const longInput: LongField = {
  begins: (byte) => byte === QUOTE || byte === OPEN_LIST,
  reader: (bytes, field, maxDocuments) => new InputReader(bytes, field, maxDocuments),
}
