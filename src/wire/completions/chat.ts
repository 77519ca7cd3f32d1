import { InletError, quoted } from '../../errors.js'
import { Reserved } from '../../first-layer/reserved.js'
import type { Steps } from '../../first-layer/steps.js'
import { type Fault, faultError } from '../given.js'
import { OPEN_LIST, OPEN_OBJECT, QUOTE } from '../json/characters.js'
import { outOfBounds } from '../json/json-bounds.js'
import { JsonCursor } from '../json/json-cursor.js'
import type { Rest } from '../json/json-place.js'
import { longText } from '../json/long-fields.js'
import { type BodyHead, membersOf, Once, readBodyOf, readHead, readSoftPrompt } from './body-head.js'
import { CHAT_TEXT_BYTES, ChatTexts } from './chat-texts.js'
import type { Place } from './splice.js'

/** Bytes of an empty string: its quotes. */
const EMPTY_BYTES = 2

export interface Chat extends BodyHead {
  readonly texts: ChatTexts
}

/**
 * Reads the body of a chat completion as far as the texts in its messages need it. An empty text is none.
 *
 * @throws InletError `invalid_json`, `invalid_request`, `invalid_unicode`
 */
export function* readChat(bytes: Buffer, maxDocuments: number): Steps<Chat> {
  const cursor = new JsonCursor(bytes, maxDocuments)
  const head: BodyHead = {}
  const messages = new MessagesReader(cursor)
  const once = new Once()
  yield* readBodyOf(cursor, function* (key, start) {
    if (key === 'messages' || key === 'model' || key === 'prompt') once.check(key)
    if (key === 'prompt') return yield* readSoftPrompt(cursor, key, start, head)
    const isRead = key === 'messages' && cursor.byte === OPEN_LIST
    const rest = isRead ? messages.read() : readHead(cursor, key, head)
    if (rest !== undefined) yield* rest
  })
  return { ...head, texts: messages.texts }
}

/** Reads the list of messages as far as their texts. */
class MessagesReader {
  readonly texts: ChatTexts
  /** For the texts' places. */
  readonly #reserved = new Reserved()

  constructor(private readonly cursor: JsonCursor) {
    this.texts = new ChatTexts(cursor.bytes)
  }

  read(): Rest {
    const { cursor } = this
    return cursor.elements((index) =>
      cursor.byte === OPEN_OBJECT ? this.#readMessage(index) : cursor.skip(),
    )
  }

  #readMessage(index: number): Rest {
    const { cursor } = this
    const once = new Once()
    const field = `messages.${index}.content`
    const read = (key: string) => {
      if (key !== 'content') return cursor.skip()
      once.check(field)
      if (cursor.byte === QUOTE) return this.#readWhole(field, true)
      return cursor.byte === OPEN_LIST ? this.#readParts(field) : cursor.skip()
    }
    return membersOf(cursor, read)
  }

  #readParts(field: string): Rest {
    const { cursor } = this
    return cursor.elements((index) => {
      const path = `${field}.${index}`
      if (cursor.byte === QUOTE) return this.#readWhole(path, false)
      return cursor.byte === OPEN_OBJECT ? this.#readPart(path) : cursor.skip()
    })
  }

  /** A string that is content itself. */
  *#readWhole(field: string, isContent: boolean): Steps<void> {
    const string = yield* this.#readText(field)
    if (yield* this.#hasRoom(string)) this.texts.addString(string, isContent)
  }

  /** `{"type":"text","text":"…"}`: type and text change, other fields stay. */
  *#readPart(path: string): Steps<void> {
    const { cursor } = this
    const once = new Once()
    const part: { type?: Place; text?: Place & { readonly key: number }; hasData?: boolean } = {}
    const readText = this.#readText.bind(this)
    const rest = membersOf(cursor, function* (key, start) {
      if (key === 'type' || key === 'text') once.check(`${path}.${key}`)
      if (key === 'data') part.hasData = true
      if (key === 'text' && cursor.byte === QUOTE) {
        part.text = { ...(yield* readText(`${path}.text`)), key: start }
      } else if (key === 'type') {
        const from = cursor.at
        if ((yield* cursor.value(`${path}.type`)) === 'text') part.type = { start: from, end: cursor.at }
      } else yield* cursor.skip()
    })
    if (rest !== undefined) yield* rest
    const { type, text, hasData } = part
    if (type === undefined || text === undefined) return
    if (!(yield* this.#hasRoom(text))) return
    if (hasData) throw dataBesideText(`${path}.data`) // the rows' key would stand twice
    this.texts.addPart(text, text.key, type)
  }

  /** Moves behind the string that begins here; returns the places of its quotes. */
  *#readText(field: string): Steps<Place> {
    const start = this.cursor.at
    let fault: Fault | undefined
    const rest = longText.read(this.cursor, field, (text) => {
      fault = text.fault
    })
    if (rest !== undefined) yield* rest
    if (fault?.code === 'invalid_unicode') throw faultError(fault, field)
    return { start, end: this.cursor.at }
  }

  /** Whether a string is a text; makes room for one. An empty string is none. */
  *#hasRoom({ start, end }: Place): Steps<boolean> {
    if (end - start === EMPTY_BYTES) return false
    const { maxDocuments } = this.cursor
    const { count } = this.texts
    if (count >= maxDocuments) {
      throw outOfBounds('messages', `have at most ${maxDocuments} texts (MAX_DOCUMENTS)`)
    }
    const more = this.#reserved.reach(CHAT_TEXT_BYTES * (count + 1))
    if (more > 0) yield more
    return true
  }
}

function dataBesideText(field: string): InletError {
  return new InletError('invalid_request', `${quoted(field)} must not stand in a part of type text.`, field)
}
