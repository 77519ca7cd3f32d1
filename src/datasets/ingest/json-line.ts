import { InletError, quoted, SHOWN, shown } from '../../errors.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { faultError, type Given } from '../../wire/given.js'
import type { IdLists } from '../../wire/id-lists.js'
import { OPEN_LIST, OPEN_OBJECT, QUOTE } from '../../wire/json/characters.js'
import { MAX_DEPTH, tooDeep } from '../../wire/json/json-bounds.js'
import { JsonCursor } from '../../wire/json/json-cursor.js'
import type { Rest } from '../../wire/json/json-place.js'
import type { JsonText, JsonTexts } from '../../wire/json/json-texts.js'
import { longIds, longText } from '../../wire/json/long-fields.js'
import { TextReader } from '../../wire/json/text-reader.js'
import { valueEnd } from '../../wire/json/value-end.js'

/** The member that has a line's ids. */
export const IDS_FIELD = 'input_ids'

/** A line's document. */
export interface LineDocument {
  /** The member that it stands in. */
  readonly field: string
  /** Its text or its ids; undefined where it is empty. */
  readonly given: JsonText | IdLists | undefined
}

/**
 * One line of an upload: `{"text": "a", "meta": {}}` → its text, `{"input_ids": [1, 2]}` → its ids. Members of other names
 * are skipped; they must be JSON within the bounds of `json-bounds.ts`, of any length.
 */
export class JsonLine {
  readonly #cursor: JsonCursor
  #text: Given | undefined
  #ids: Given | undefined
  #isBlank = false
  /** A value that is no object, as messages show it. */
  #other: string | undefined

  /** @param bytes UTF-8 without the line's end */
  constructor(
    bytes: Buffer,
    private readonly textField: string,
  ) {
    this.#cursor = new JsonCursor(bytes, 1)
  }

  /** Bytes reserved for the line's ids. */
  get reserved(): number {
    return this.#cursor.reserved
  }

  /** Reads the line; undefined: it is read. @throws InletError `invalid_json`, `invalid_request` for JSON out of bounds */
  read(): Rest {
    if (!this.#cursor.isSmall) return this.#readInSteps()
    this.#cursor.skipSpace()
    const rest = this.#readValue()
    return rest === undefined ? this.#expectEnd() : this.#readRest(rest)
  }

  /**
   * The line's document, once it is read; undefined: the line is blank.
   *
   * @throws InletError `invalid_request`, `invalid_unicode`
   */
  document(): LineDocument | undefined {
    const { textField } = this
    const [text, ids] = [this.#text, this.#ids]
    if (this.#other !== undefined)
      throw new InletError('invalid_request', `the line must be an object. Given: ${this.#other}`)
    if (text !== undefined && ids !== undefined) {
      const message = `${quoted(IDS_FIELD)} must not be given beside ${quoted(textField)}. Given: ${ids[SHOWN]}`
      throw new InletError('invalid_request', message, IDS_FIELD)
    }
    const given = text ?? ids
    if (given === undefined) {
      if (this.#isBlank) return undefined
      const message = `${quoted(textField)} or ${quoted(IDS_FIELD)} is needed. Given: neither`
      throw new InletError('invalid_request', message, textField)
    }
    const field = text === undefined ? IDS_FIELD : textField
    if (given.fault?.code === 'empty_input') return { field, given: undefined }
    if (given.fault !== undefined) throw faultError(given.fault, field)
    return text === undefined ? { field, given: ids as IdLists } : { field, given: (text as JsonTexts).at(0) }
  }

  /** A line that is longer than {@link JsonCursor.isSmall}. */
  *#readInSteps(): Steps<void> {
    const cursor = this.#cursor
    while (cursor.skipSpace()) yield PAUSE
    yield* this.#readValue() ?? []
    while (cursor.skipSpace()) yield PAUSE
    this.#expectEnd()
  }

  *#readRest(rest: Steps<unknown>): Steps<void> {
    yield* rest
    this.#expectEnd()
  }

  #readValue(): Rest {
    const cursor = this.#cursor
    this.#isBlank = cursor.byte === undefined
    if (this.#isBlank) return undefined
    if (cursor.byte === OPEN_OBJECT) return cursor.members((name) => this.#readMember(name))
    this.#other = shown(cursor.short(undefined, 0))
    return undefined
  }

  /** Of a repeated member the last value counts, as in JSON.parse. */
  #readMember(name: string): Rest {
    const cursor = this.#cursor
    if (name === this.textField) {
      return longText.read(cursor, name, (text) => {
        this.#text = text
      })
    }
    if (name === IDS_FIELD) {
      return longIds.read(cursor, name, (ids) => {
        this.#ids = ids
      })
    }
    return skip(cursor, name, 1)
  }

  #expectEnd(): undefined {
    this.#cursor.skipSpace()
    if (this.#cursor.byte !== undefined) throw this.#cursor.invalid()
  }
}

/** Moves behind a value of any length. @param depth levels that are open around it */
function skip(cursor: JsonCursor, field: string, depth: number): Rest {
  if (cursor.isSmall) {
    cursor.at = valueEnd(cursor.bytes, cursor.at, field, depth)
    return undefined
  }
  if (cursor.byte === QUOTE) return cursor.long(new TextReader(cursor.bytes, field, 1), ignore)
  if (cursor.byte === OPEN_OBJECT || cursor.byte === OPEN_LIST) {
    if (depth >= MAX_DEPTH) throw tooDeep(field)
    const skipInner = () => skip(cursor, field, depth + 1)
    return cursor.byte === OPEN_OBJECT ? cursor.members(skipInner, field) : cursor.elements(skipInner)
  }
  cursor.short(field, depth)
  return undefined
}

function ignore(): void {}
