import { SHOWN } from '../../errors.js'
import { Offsets } from '../../first-layer/windows/offsets.js'
import type { DocumentMaker, GivenTexts } from '../given.js'
import { JsonText } from '../json/json-texts.js'
import type { Place, Splice } from './splice.js'

/** In place of a key: the string is a message's content, or an element of its list. */
const [CONTENT, ELEMENT] = [-1, -2]
const [CONTENT_SPLICE, ELEMENT_SPLICE] = [
  { before: '[{"type":"prompt_embeds","data":', after: '}]' },
  { before: '{"type":"prompt_embeds","data":', after: '}' },
]
/** Bytes that a text takes here. */
export const CHAT_TEXT_BYTES = 5 * 8

/** The texts in a chat's messages: where each one stands. A chat may have tens of thousands, so none is an object. */
export class ChatTexts implements GivenTexts {
  readonly #starts = new Offsets()
  readonly #ends = new Offsets()
  readonly #keys = new Offsets()
  readonly #types = new Offsets()
  readonly #typeEnds = new Offsets()

  constructor(private readonly bytes: Buffer) {}

  readonly isList = true
  readonly isText = true

  get count(): number {
    return this.#starts.length
  }

  get [SHOWN](): string {
    return `an array of ${this.count}`
  }

  makeDocuments<Made>(maker: DocumentMaker<Made>): Made {
    return maker.ofTexts(this)
  }

  /** The body stays: all of it but the texts goes on to the model server. */
  letGo(): number {
    return 0
  }

  /**
   * A string that is content itself: it becomes a part.
   *
   * @param string the places of its quotes
   * @param isContent whether it is the whole content, which then becomes a list of one part
   */
  addString(string: Place, isContent: boolean): void {
    this.#add(string, isContent ? CONTENT : ELEMENT, { start: 0, end: 0 })
  }

  /**
   * `{"type":"text","text":"…"}`: type and text change, other fields stay.
   *
   * @param key where the key of the text begins
   */
  addPart(text: Place, key: number, type: Place): void {
    this.#add(text, key, type)
  }

  *[Symbol.iterator](): Generator<JsonText, void, void> {
    for (let i = 0; i < this.count; i++) {
      yield new JsonText(this.bytes, this.#starts.at(i) + 1, this.#ends.at(i) - 1)
    }
  }

  /**
   * The replacements of the texts, in the order of the body.
   *
   * @param has whether a text, by its index, has rows; one of none stays
   */
  *splices(has: (document: number) => boolean): Generator<Splice, void, void> {
    for (let document = 0; document < this.count; document++) {
      if (has(document)) yield* this.#splicesOf(document)
    }
  }

  *#splicesOf(document: number): Generator<Splice, void, void> {
    const [key, end] = [this.#keys.at(document), this.#ends.at(document)]
    if (key < 0) {
      const start = this.#starts.at(document)
      yield { start, end, document, ...(key === CONTENT ? CONTENT_SPLICE : ELEMENT_SPLICE) }
      return
    }
    const typeAt = this.#types.at(document)
    const type = { start: typeAt, end: this.#typeEnds.at(document), before: '"prompt_embeds"', after: '' }
    const data = { start: key, end, before: '"data":', document, after: '' }
    yield* typeAt < key ? [type, data] : [data, type]
  }

  #add({ start, end }: Place, key: number, type: Place): void {
    this.#starts.push(start)
    this.#ends.push(end)
    this.#keys.push(key)
    this.#types.push(type.start)
    this.#typeEnds.push(type.end)
  }
}
