import { SHOWN, shown } from '../../errors.js'
import type { Offsets } from '../../first-layer/windows/offsets.js'
import type { DocumentMaker, Fault, GivenTexts, TextPieces } from '../given.js'
import { BACKSLASH } from './characters.js'
import { writeUnescaped } from './escapes.js'

/** Bytes of JSON made to text at a time. */
const PIECE_BYTES = 65_536
/** Bytes by which a piece's last escape may exceed the piece. */
const OVERHANG = 4
/** Bytes of JSON that have more characters than a message shows. */
const SHOWN_BYTES = 1024

/**
 * A string as it stands in the body, in JSON's escapes and in UTF-8, both already checked. It never becomes a
 * JavaScript string as a whole, unless it is short.
 */
export class JsonText implements TextPieces {
  /**
   * @param bytes the body
   * @param start first byte behind the opening quote
   * @param end the closing quote
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly end: number,
  ) {}

  /** Bytes of JSON between the quotes: as many as its UTF-8 has, or more. */
  get length(): number {
    return this.end - this.start
  }

  toString(): string {
    const text = this.bytes.toString('utf8', this.start, this.end)
    return text.includes('\\') ? JSON.parse(`"${text}"`) : text
  }

  /** The text as UTF-8 in pieces of about 64 KiB: `a\u00e9` → 61 c3 a9. It must have no lone surrogate. */
  *pieces(): IterableIterator<Uint8Array> {
    let plain: Buffer | undefined
    for (let at = this.start; at < this.end; ) {
      const piece = this.bytes.subarray(at, Math.min(at + PIECE_BYTES, this.end))
      if (piece.includes(BACKSLASH)) {
        plain ??= Buffer.allocUnsafeSlow(PIECE_BYTES + OVERHANG)
        const { end, written } = writeUnescaped(this.bytes, at, at + piece.length, plain)
        yield plain.subarray(0, written)
        at = end
      } else {
        yield piece
        at += piece.length
      }
    }
  }

  /** The whole text as UTF-8, where it lies or unescaped in `room`, which has at least `length` bytes. */
  utf8(room: Buffer): Buffer {
    const text = this.bytes.subarray(this.start, this.end)
    if (!text.includes(BACKSLASH)) return text
    return room.subarray(0, writeUnescaped(this.bytes, this.start, this.end, room).written)
  }

  /** The text as messages show it. */
  get [SHOWN](): string {
    if (this.length <= SHOWN_BYTES) return shown(this.toString())
    const [piece] = this.pieces()
    return shown(Buffer.from(piece!).toString('utf8', 0, SHOWN_BYTES))
  }
}

/** A string, or a list of strings, as it stands in the body. */
export class JsonTexts implements GivenTexts {
  readonly isText = true

  /**
   * @param bytes the body
   * @param starts first bytes behind the opening quotes
   * @param ends the closing quotes
   * @param fault texts that have one may lack elements
   */
  constructor(
    private bytes: Buffer,
    private readonly starts: Offsets,
    private readonly ends: Offsets,
    readonly isList: boolean,
    readonly fault?: Fault,
  ) {}

  get count(): number {
    return this.starts.length
  }

  get [SHOWN](): string {
    return this.isList ? `an array of ${this.count}` : shown(this.at(0))
  }

  at(i: number): JsonText {
    return new JsonText(this.bytes, this.starts.at(i), this.ends.at(i))
  }

  *[Symbol.iterator](): IterableIterator<JsonText> {
    for (let i = 0; i < this.count; i++) yield this.at(i)
  }

  makeDocuments<Made>(maker: DocumentMaker<Made>): Made {
    return maker.ofTexts(this)
  }

  letGo(): number {
    const { length } = this.bytes
    this.bytes = Buffer.alloc(0)
    return length
  }
}
