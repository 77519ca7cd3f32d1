import { InletError, quoted } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { Reservation } from '../../load/reservation.js'
import { OPEN_LIST, OPEN_OBJECT, QUOTE } from '../json/characters.js'
import { JsonWalk } from '../json/json-walk.js'
import { longText } from '../json/long-fields.js'
import { readLong } from '../json/long-reader.js'
import type { LongText } from '../json/long-text.js'
import { parse } from '../schemas/issue.js'
import { singleText } from '../schemas/text-field.js'
import { type BodyHead, Once, readHead } from './body-head.js'
import { CHAT_TEXT_BYTES, ChatTexts } from './chat-texts.js'
import { bodyEnds, objectBegins } from './completion.js'
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
export async function readChat(bytes: Buffer, maxDocuments: number, claim: Claim): Promise<Chat> {
  const reader = new ChatReader(bytes, maxDocuments, claim)
  return reader.read()
}

class ChatReader {
  readonly #walk: JsonWalk
  readonly #texts: ChatTexts
  /** For the texts' places. */
  readonly #room: Reservation

  constructor(
    bytes: Buffer,
    private readonly maxDocuments: number,
    private readonly claim: Claim,
  ) {
    this.#walk = new JsonWalk(bytes, claim)
    this.#texts = new ChatTexts(bytes)
    this.#room = new Reservation(claim)
  }

  async read(): Promise<Chat> {
    const walk = this.#walk
    await objectBegins(walk)
    const once = new Once()
    const head: BodyHead = {}
    for await (const { key } of walk.keys()) {
      if (key === 'messages' || key === 'model') once.check(key)
      if (key === 'messages' && this.#begins(OPEN_LIST)) await this.#readMessages()
      else if (!(await readHead(walk, key, head))) await walk.skip()
    }
    await bodyEnds(walk)
    return { model: head.model, texts: this.#texts }
  }

  #begins(byte: number): boolean {
    return this.#walk.bytes[this.#walk.at] === byte
  }

  async #readMessages(): Promise<void> {
    const walk = this.#walk
    for await (const index of walk.elements()) {
      if (!this.#begins(OPEN_OBJECT)) {
        await walk.skip()
        continue
      }
      const once = new Once()
      const field = `messages.${index}.content`
      for await (const { key } of walk.keys()) {
        if (key !== 'content') {
          await walk.skip()
          continue
        }
        once.check(field)
        if (this.#begins(QUOTE)) await this.#readWhole(field, true)
        else if (this.#begins(OPEN_LIST)) await this.#readParts(field)
        else await walk.skip()
      }
    }
  }

  async #readParts(field: string): Promise<void> {
    for await (const index of this.#walk.elements()) {
      const path = `${field}.${index}`
      if (this.#begins(QUOTE)) await this.#readWhole(path, false)
      else if (this.#begins(OPEN_OBJECT)) await this.#readPart(path)
      else await this.#walk.skip()
    }
  }

  /** A string that is content itself. */
  async #readWhole(field: string, isContent: boolean): Promise<void> {
    const string = await this.#readText(field)
    if (await this.#hasRoom(string)) this.#texts.addString(string, isContent)
  }

  /** `{"type":"text","text":"…"}`: type and text change, other fields stay. */
  async #readPart(path: string): Promise<void> {
    const walk = this.#walk
    const once = new Once()
    let type: Place | undefined
    let text: (Place & { readonly key: number }) | undefined
    let hasData = false
    for await (const { key, start } of walk.keys()) {
      if (key === 'type' || key === 'text') once.check(`${path}.${key}`)
      hasData ||= key === 'data'
      if (key === 'text' && this.#begins(QUOTE)) {
        text = { ...(await this.#readText(`${path}.text`)), key: start }
      } else if (key === 'type') {
        const from = walk.at
        const isText = (await walk.value(`${path}.type`)) === 'text'
        type = isText ? { start: from, end: walk.at } : undefined
      } else await walk.skip()
    }
    if (type === undefined || text === undefined) return
    if (!(await this.#hasRoom(text))) return
    if (hasData) throw dataBesideText(`${path}.data`) // the rows' key would stand twice
    this.#texts.addPart(text, text.key, type)
  }

  /** Moves behind the string that begins here; returns the places of its quotes. */
  async #readText(field: string): Promise<Place> {
    const walk = this.#walk
    const { bytes, at: start } = walk
    const reader = longText.reader(bytes, field, 1)
    const { value, end } = await readLong(reader, bytes, start, new Reservation(this.claim), walk.pace)
    walk.at = end
    const text = value as LongText
    if (text.lone !== undefined) parse(singleText, text, field.split('.'))
    return { start, end }
  }

  /** Whether a string is a text; makes room for one. An empty string is none. */
  async #hasRoom({ start, end }: Place): Promise<boolean> {
    if (end - start === EMPTY_BYTES) return false
    const count = this.#texts.length
    if (count >= this.maxDocuments) {
      const rule = `have at most ${this.maxDocuments} texts (MAX_DOCUMENTS)`
      throw new InletError('invalid_request', `\`messages\` must ${rule}. Given: more`, 'messages')
    }
    const wait = this.#room.reach(CHAT_TEXT_BYTES * (count + 1))
    if (wait !== undefined) await wait
    return true
  }
}

function dataBesideText(field: string): InletError {
  return new InletError('invalid_request', `${quoted(field)} must not stand in a part of type text.`, field)
}
