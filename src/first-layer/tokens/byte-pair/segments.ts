import type { TokenBuffer } from '../token-buffer.js'
import { openTail, sequenceLength, utf8Length } from '../unicode/utf8-sequence.js'
import { joined, type Vocabulary } from '../vocabulary.js'
import { Alignment } from './alignment.js'
import type { BytePairKernel, Document } from './byte-pair-kernel.js'
import { ADVANCE_BYTES, type Segments } from './document-stream.js'
import { characterBefore } from './literals.js'
import { doubtfulPart, isSurelyNormal, lastPart, type Part } from './normal-form.js'
import { recompose } from './recompose.js'

/** Gives text to the kernel unchanged. */
export class PlainSegments implements Segments {
  readonly mostBytes = ADVANCE_BYTES
  readonly #document: Document = {}

  constructor(private readonly kernel: BytePairKernel) {}

  run(utf8: Uint8Array, _start: number, isEnd: boolean, ids: TokenBuffer): boolean {
    return this.kernel.run(this.#document, utf8, isEnd, ids)
  }

  leave(): void {
    this.kernel.leave(this.#document)
  }

  add(id: number, _start: number, _end: number, ids: TokenBuffer): void {
    ids.push(id)
  }
}

const BLANK = 0x20
/** Less than `ADVANCE_BYTES`: sorting marks takes ten times as long as tokenizing letters. */
const NORMALIZED_BYTES = 4096
const NOTHING = new Uint8Array(0)
/** U+2581, SentencePiece's blank. */
const VISIBLE_BLANK = Buffer.from('\u2581')

interface MappedOptions {
  /** As in `BytePairSpec`; never together with `normalizes`. */
  readonly addsBlank: boolean | 'always' | 'first'
  readonly isSentencePiece?: boolean | undefined
  /** Brings text into normal form C. */
  readonly normalizes: boolean
  /** The bytes of each token, to give ranges; undefined: no ranges. */
  readonly ranges: Vocabulary | undefined
}

/** Changes text before it goes to the kernel, or notes the ranges of its tokens in the document. */
export class MappedSegments implements Segments {
  readonly mostBytes: number
  readonly #document: Document = {}
  /** The current text's, if ranges are wanted; undefined before its first byte. */
  #alignment: Alignment | undefined
  #held: Uint8Array = NOTHING
  /** Bytes of the text that the kernel was given, and those that its ids cover. */
  #given = 0
  #covered = 0
  /** Range of the character whose bytes are tokens. */
  #character: [number, number] = [0, 0]

  constructor(
    private readonly kernel: BytePairKernel,
    private readonly options: MappedOptions,
  ) {
    this.mostBytes = options.normalizes ? NORMALIZED_BYTES : ADVANCE_BYTES
  }

  run(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): boolean {
    if (this.options.ranges !== undefined && utf8.length > 0) this.#alignment ??= new Alignment(start)
    const { normalizes, addsBlank, isSentencePiece } = this.options
    let given = utf8
    if (normalizes) {
      given = this.#normalized(utf8, start, isEnd, ids)
      this.#given += given.length
    } else if (addsBlank !== false || isSentencePiece) {
      given = this.#blanked(utf8, start, isEnd, ids)
    }
    const known = ids.length
    const more = this.kernel.run(this.#document, given, isEnd, ids)
    if (this.options.ranges !== undefined) this.#pushRanges(known, ids, this.options.ranges)
    if (isEnd && !more) {
      this.#alignment = undefined
      this.#given = this.#covered = 0
    }
    return more
  }

  leave(): void {
    this.kernel.leave(this.#document)
  }

  add(id: number, start: number, end: number, ids: TokenBuffer): void {
    if (this.options.ranges !== undefined) ids.pushRange(start, end)
    ids.push(id)
  }

  /** The text with the blank that is put before it, and visible blanks as blanks. Holds a character that is cut in two. */
  #blanked(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): Uint8Array {
    const { addsBlank, isSentencePiece } = this.options
    const bytes = this.#held.length === 0 ? utf8 : joined([this.#held, utf8])
    const first = start - this.#held.length
    const length = bytes.length - (isEnd ? 0 : openTail(bytes))
    this.#held = new Uint8Array(bytes.subarray(length))
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, length)
    const place = (from: number) => (isSentencePiece ? text.indexOf(VISIBLE_BLANK, from) : -1)
    const parts: Uint8Array[] = []
    const begins = text[0] === BLANK || place(0) === 0
    const isWanted = addsBlank === 'always' || (!begins && (addsBlank === true || first === 0))
    if (addsBlank && this.#given === 0 && length > 0 && isWanted) {
      // The blank has the range of the first character, as in the Rust library.
      const end = first + sequenceLength(text[0])
      this.#alignment?.add({ given: 0, givenEnd: 1, start: first, end, next: first })
      this.#given = 1
      ids.characters-- // the blank is not part of the document
      parts.push(Uint8Array.of(BLANK))
    }
    let from = 0
    for (let at = place(0); at >= 0; at = place(from)) {
      parts.push(text.subarray(from, at), Uint8Array.of(BLANK))
      const given = this.#given + (at - from)
      from = at + VISIBLE_BLANK.length
      const [begin, end] = [first + at, first + from]
      this.#alignment?.add({ given, givenEnd: given + 1, start: begin, end, next: end })
      this.#given = given + 1
    }
    this.#given += length - from
    return parts.length === 0 ? text : joined([...parts, text.subarray(from)])
  }

  /** The part of the text that can be normalized now, in normal form C. Holds the last character: it may still compose. */
  #normalized(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): Uint8Array {
    const bytes = this.#held.length === 0 ? utf8 : joined([this.#held, utf8])
    const first = start - this.#held.length
    if (isSurelyNormal(bytes)) {
      const length = isEnd || bytes.length === 0 ? bytes.length : characterBefore(bytes, bytes.length)
      this.#held = new Uint8Array(bytes.subarray(length)) // a copy: the stream moves its bytes
      return bytes.subarray(0, length)
    }
    const whole = bytes.length - openTail(bytes)
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, whole).toString()
    const end = isEnd ? text.length : lastPart(text)
    const length = whole - Buffer.byteLength(text.slice(end))
    this.#held = new Uint8Array(bytes.subarray(length))
    const ready = text.slice(0, end)
    const part = doubtfulPart(ready, 0)
    return part === undefined ? bytes.subarray(0, length) : this.#recomposed(ready, part, first, ids)
  }

  /** A text, which begins at byte `start` of the document, in normal form C; notes changes from its first doubtful part. */
  #recomposed(text: string, part: Part | undefined, start: number, ids: TokenBuffer): Uint8Array {
    let normal = ''
    let from = 0
    let given = this.#given
    let place = start
    while (part !== undefined) {
      const kept = text.slice(from, part.start)
      const keptBytes = Buffer.byteLength(kept)
      const doubtful = text.slice(part.start, part.end)
      const { characters, bytes } = this.#align(doubtful, given + keptBytes, place + keptBytes, ids)
      normal += kept + characters
      given += keptBytes + bytes
      place += keptBytes + Buffer.byteLength(doubtful)
      from = part.end
      part = doubtfulPart(text, from)
    }
    return Buffer.from(normal + text.slice(from))
  }

  /**
   * One part of a text in normal form C, and its bytes. As in the Rust library, a character made of several originals has
   * the place of the first, and characters made of one original share its place.
   */
  #align(
    part: string,
    start: number,
    place: number,
    ids: TokenBuffer,
  ): { characters: string; bytes: number } {
    const originals = Array.from(part, (character) => character.codePointAt(0)!)
    const recomposed = recompose(part)
    ids.characters += originals.length - recomposed.length
    let characters = ''
    let given = start
    let next = place
    let taken = 0
    /** Bytes of the original that was taken last, which ends at `next`. */
    let last = 0
    for (const { codePoint, takes } of recomposed) {
      const givenEnd = given + utf8Length(codePoint)
      const isKept = takes === 1 && codePoint === originals[taken]
      const size = takes === 0 ? last : utf8Length(originals[taken])
      const at = takes === 0 ? next - last : next
      for (let i = 0; i < takes; i++) {
        last = utf8Length(originals[taken++])
        next += last
      }
      if (!isKept) this.#alignment?.add({ given, givenEnd, start: at, end: at + size, next })
      characters += String.fromCodePoint(codePoint)
      given = givenEnd
    }
    return { characters, bytes: given - start }
  }

  #pushRanges(from: number, ids: TokenBuffer, { bytes, offsets }: Vocabulary): void {
    const alignment = this.#alignment
    for (let i = from; i < ids.length && alignment !== undefined; i++) {
      const id = ids.at(i)
      const lead = bytes[offsets[id]]
      const length = offsets[id + 1] - offsets[id]
      const end = this.#covered + length
      if (!this.options.isSentencePiece || length > 1 || lead < 0x80) {
        ids.pushRange(alignment.startOf(this.#covered), alignment.endOf(end))
      } else {
        // A byte of a character has the whole character's range.
        if (sequenceLength(lead) > 0)
          this.#character = [
            alignment.startOf(this.#covered),
            alignment.endOf(end - 1 + sequenceLength(lead)),
          ]
        ids.pushRange(...this.#character)
      }
      this.#covered = end
    }
  }
}
