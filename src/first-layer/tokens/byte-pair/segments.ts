import type { TokenBuffer } from '../token-buffer.js'
import { openTail, sequenceLength, utf8Length } from '../unicode/utf8-sequence.js'
import { joined, type Vocabulary } from '../vocabulary.js'
import { Alignment } from './alignment.js'
import type { BytePairKernel, Document } from './byte-pair-kernel.js'
import { changedParts, isNormal, lastBoundary } from './normal-form.js'

/** Bytes searched and tokenized in one advance: half a millisecond for ordinary text, a few for the most hostile. */
export const ADVANCE_BYTES = 16_384
/** Less than `ADVANCE_BYTES`: sorting marks takes ten times as long as tokenizing letters. */
const NORMALIZED_BYTES = 4096
const BLANK = 0x20
/** U+2581, SentencePiece's blank. */
const VISIBLE_BLANK = Buffer.from('\u2581')

/** How a file changes a text before its bytes are merged. */
export interface TextChanges {
  /**
   * Puts a blank before a text, and before the text behind an added token: that begins with none (true), before every one
   * (`always`), or before the first that begins with none (`first`).
   */
  readonly addsBlank?: boolean | 'always' | 'first'
  /** U+2581 is read as a blank, and the bytes of a character that is no token are tokens with the character's place. */
  readonly isSentencePiece?: boolean
  /** Brings text into Unicode's normal form C; never together with the others. */
  readonly normalizes?: boolean
}

/**
 * Turns the text between two literals into ids, each text as if it were a document: changes it as the file says before it
 * goes to the kernel, and notes the ranges of its tokens in the document.
 */
export class Segments {
  /** Most bytes for `run` in one advance. */
  readonly mostBytes: number
  readonly #document: Document = {}
  /** The current text's, if ranges are wanted; undefined before its first byte. */
  #alignment: Alignment | undefined
  #held = new Uint8Array(0)
  /** Bytes of the text that the kernel was given, and those that its ids cover. */
  #given = 0
  #covered = 0
  /** Range of the character whose bytes are tokens. */
  #character: [number, number] = [0, 0]

  constructor(
    private readonly kernel: BytePairKernel,
    private readonly options: TextChanges,
    /** The bytes of each token, to give ranges; undefined: no ranges. */
    private readonly ranges: Vocabulary | undefined,
  ) {
    this.mostBytes = options.normalizes ? NORMALIZED_BYTES : ADVANCE_BYTES
  }

  /**
   * Takes `utf8`, the next bytes of the text, at offset `start` of the document, and appends ids. `isEnd`: the text
   * ends with them.
   * @returns true if work is left that needs no more bytes: call again without bytes and with the same `isEnd`
   */
  run(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): boolean {
    const { normalizes, addsBlank, isSentencePiece } = this.options
    const { ranges } = this
    if (ranges !== undefined && utf8.length > 0) this.#alignment ??= new Alignment(start)
    const isChanged = normalizes || addsBlank || isSentencePiece
    const given = isChanged ? this.#changed(utf8, start, isEnd, ids) : utf8
    const known = ids.length
    const more = this.kernel.run(this.#document, given, isEnd, ids)
    if (ranges !== undefined) this.#pushRanges(known, ids, ranges)
    if (isEnd && !more) {
      this.#alignment = undefined
      this.#given = this.#covered = 0
    }
    return more
  }

  /** Forgets the document, which is done. */
  leave(): void {
    this.kernel.leave(this.#document)
  }

  /** Appends the id of a literal in the bytes `start … end`, or of a token that the template adds. */
  add(id: number, start: number, end: number, ids: TokenBuffer): void {
    if (this.ranges !== undefined) ids.pushRange(start, end)
    ids.push(id)
  }

  /** The text for the kernel; holds a character that is cut in two, and the last one where it may still compose. */
  #changed(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): Uint8Array {
    const bytes = joined([this.#held, utf8])
    const first = start - this.#held.length
    const whole = Buffer.from(bytes.buffer, 0, bytes.length - (isEnd ? 0 : openTail(bytes)))
    if (!this.options.normalizes) {
      this.#held = bytes.slice(whole.length)
      return this.#blanked(whole, first, ids)
    }
    const text = whole.toString()
    const ready = isEnd ? text : text.slice(0, lastBoundary(text))
    const length = isEnd ? whole.length : whole.length - Buffer.byteLength(text.slice(ready.length))
    this.#held = bytes.slice(length)
    const given = isNormal(ready) ? bytes.subarray(0, length) : this.#normalized(ready, first, ids)
    this.#given += given.length
    return given
  }

  /** The text with the blank that is put before it, and visible blanks as blanks. */
  #blanked(text: Buffer, first: number, ids: TokenBuffer): Uint8Array {
    const { addsBlank, isSentencePiece } = this.options
    const place = (from: number) => (isSentencePiece ? text.indexOf(VISIBLE_BLANK, from) : -1)
    const parts: Uint8Array[] = []
    const begins = text[0] === BLANK || place(0) === 0
    const isWanted = addsBlank === 'always' || (!begins && (addsBlank === true || first === 0))
    if (addsBlank && this.#given === 0 && text.length > 0 && isWanted) {
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
    this.#given += text.length - from
    return parts.length === 0 ? text : joined([...parts, text.subarray(from)])
  }

  /**
   * A text, which begins at byte `start` of the document, in normal form C. As in the Rust library, a character made of
   * several originals has the place of the first, and characters made of one original share its place.
   */
  #normalized(text: string, start: number, ids: TokenBuffer): Uint8Array {
    let normal = ''
    let from = 0
    let given = this.#given
    let next = start
    for (const part of changedParts(text)) {
      const kept = text.slice(from, part.start)
      const originals = Array.from(text.slice(part.start, part.end), (character) => character.codePointAt(0)!)
      normal += kept
      given += Buffer.byteLength(kept)
      next += Buffer.byteLength(kept)
      ids.characters += originals.length - part.characters.length
      let taken = 0
      /** Bytes of the original that was taken last, which ends at `next`. */
      let last = 0
      for (const { codePoint, takes } of part.characters) {
        const givenEnd = given + utf8Length(codePoint)
        const isKept = takes === 1 && codePoint === originals[taken]
        const size = takes === 0 ? last : utf8Length(originals[taken])
        const at = takes === 0 ? next - last : next
        for (let i = 0; i < takes; i++) {
          last = utf8Length(originals[taken++])
          next += last
        }
        if (!isKept) this.#alignment?.add({ given, givenEnd, start: at, end: at + size, next })
        normal += String.fromCodePoint(codePoint)
        given = givenEnd
      }
      from = part.end
    }
    return Buffer.from(normal + text.slice(from))
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
