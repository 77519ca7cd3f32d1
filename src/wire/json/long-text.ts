import { BACKSLASH } from './characters.js'
import { writeUnescaped } from './write-unescaped.js'

/** Bytes of JSON made to text at a time. */
const PIECE_BYTES = 65_536
/** Bytes that the last escape of a piece may bring beyond it. */
const OVERHANG = 4

/** A surrogate without its partner: its place in the text in UTF-16 units, and itself. */
export interface LoneSurrogate {
  readonly index: number
  readonly unit: number
}

/**
 * A string of a body as it stands there: JSON and UTF-8, which is known, and never made to one JS string unless it
 * is short.
 */
export class LongText {
  /**
   * @param bytes of the body
   * @param start first byte behind the opening quote
   * @param end the closing quote
   * @param lone the first one; what has one is no text: nobody asks for its pieces
   */
  constructor(
    private bytes: Buffer,
    private readonly start: number,
    private readonly end: number,
    readonly lone?: LoneSurrogate,
  ) {}

  /** Bytes of JSON between the quotes: as many as its UTF-8 has, or more. */
  get length(): number {
    return this.end - this.start
  }

  /** The whole text, for a short one. */
  toString(): string {
    return JSON.parse(this.bytes.toString('utf8', this.start - 1, this.end + 1))
  }

  /**
   * The text as UTF-8 in pieces of about 64 KiB, cut anywhere: `a\u00e9` → 61 c3 a9. A piece is good until the next
   * one is asked for.
   */
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

  /** The text is done with: lets the body go. Returns its bytes. */
  letGo(): number {
    const { length } = this.bytes
    this.bytes = Buffer.alloc(0)
    return length
  }
}
