import { InletError } from '../../errors.js'
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
import { bodyEnds, objectBegins } from './completion.js'
import type { Splice } from './splice.js'

/** A text of a message, and what stands in its place once its rows are known. */
export interface ChatText {
  /** `messages.0.content`, for messages. */
  readonly field: string
  readonly text: LongText
  /** In the order of the body. */
  splices(document: number): readonly Splice[]
}

export interface Chat extends BodyHead {
  readonly texts: readonly ChatText[]
}

interface Place {
  readonly start: number
  readonly end: number
}

interface PlacedText extends Place {
  readonly text: LongText
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
  readonly #texts: ChatText[] = []

  constructor(
    bytes: Buffer,
    private readonly maxDocuments: number,
    private readonly claim: Claim,
  ) {
    this.#walk = new JsonWalk(bytes, claim)
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
        if (this.#begins(QUOTE)) await this.#readWhole(field, '[', ']')
        else if (this.#begins(OPEN_LIST)) await this.#readParts(field)
        else await walk.skip()
      }
    }
  }

  async #readParts(field: string): Promise<void> {
    for await (const index of this.#walk.elements()) {
      const path = `${field}.${index}`
      if (this.#begins(QUOTE)) await this.#readWhole(path, '', '')
      else if (this.#begins(OPEN_OBJECT)) await this.#readPart(path)
      else await this.#walk.skip()
    }
  }

  /** A string that is content itself: it becomes a part. */
  async #readWhole(field: string, before: string, after: string): Promise<void> {
    const { start, end, text } = await this.#readText(field)
    this.#add({
      field,
      text,
      splices: (document) => [
        {
          ...{ start, end, document },
          before: `${before}{"type":"prompt_embeds","data":`,
          after: `}${after}`,
        },
      ],
    })
  }

  /** `{"type":"text","text":"…"}`: type and text change, other fields stay. */
  async #readPart(path: string): Promise<void> {
    const walk = this.#walk
    const once = new Once()
    let type: Place | undefined
    let text: PlacedText | undefined
    for await (const { key, start } of walk.keys()) {
      if (key === 'type' || key === 'text') once.check(`${path}.${key}`)
      if (key === 'text' && this.#begins(QUOTE)) {
        text = { ...(await this.#readText(`${path}.text`)), start }
      } else if (key === 'type') {
        const from = walk.at
        const isText = (await walk.value(`${path}.type`)) === 'text'
        type = isText ? { start: from, end: walk.at } : undefined
      } else await walk.skip()
    }
    if (type === undefined || text === undefined) return
    const [typeAt, { start, end }] = [type, text]
    this.#add({
      field: `${path}.text`,
      text: text.text,
      splices: (document) =>
        [
          { ...typeAt, before: '"prompt_embeds"', after: '' },
          { start, end, before: '"data":', document, after: '' },
        ].sort((a, b) => a.start - b.start),
    })
  }

  async #readText(field: string): Promise<PlacedText> {
    const walk = this.#walk
    const { bytes, at: start } = walk
    const reader = longText.reader(bytes, field, 1)
    const { value, end } = await readLong(reader, bytes, start, new Reservation(this.claim), walk.pace)
    walk.at = end
    const text = value as LongText
    if (text.lone !== undefined) parse(singleText, text, field.split('.'))
    return { start, end, text }
  }

  #add(text: ChatText): void {
    if (text.text.length === 0) return
    if (this.#texts.length >= this.maxDocuments) {
      const rule = `have at most ${this.maxDocuments} texts (MAX_DOCUMENTS)`
      throw new InletError('invalid_request', `\`messages\` must ${rule}. Given: more`, 'messages')
    }
    this.#texts.push(text)
  }
}
