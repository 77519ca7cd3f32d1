import { BACKSLASH } from './characters.js'
import { writeUnescaped } from './write-unescaped.js'

/** Bytes of JSON made to text at a time. */
const PIECE_BYTES = 65_536
/** Bytes by which a piece's last escape may exceed the piece. */
const OVERHANG = 4

/** A surrogate without its partner: its place in the text in UTF-16 units, and itself. */
export interface LoneSurrogate {
  readonly index: number
  readonly unit: number
}

/** A text that need not be one string. */
export interface TextPieces {
  /** Bytes of its UTF-8, or a few more. */
  readonly length: number
  /** The whole text, for a short one. */
  toString(): string
  /** Its UTF-8, cut anywhere. A piece is good until the next one is asked for. */
  pieces(): Iterable<Uint8Array>
}

/**
 * A string as it stands in the body, in JSON's escapes and in UTF-8, both already checked. It never becomes a
 * JavaScript string as a whole, unless it is short.
 */
export class LongText implements TextPieces {
  /**
   * @param bytes the body
   * @param start first byte behind the opening quote
   * @param end the closing quote
   * @param lone the first lone surrogate; a string that has one is refused before anybody asks for its pieces
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

  /** Called when nobody needs the text any more: releases the body. Returns the body's length in bytes. */
  letGo(): number {
    const { length } = this.bytes
    this.bytes = Buffer.alloc(0)
    return length
  }
}
