import type { Offsets } from '../../first-layer/windows/offsets.js'
import { type LoneSurrogate, LongText } from './long-text.js'

/** The first fault of each kind in a list of texts. Elements behind one that is no string are not checked. */
export interface TextFaults {
  readonly lone?: LoneSurrogate & { readonly element: number }
  /** Place of an empty string. */
  readonly empty?: number
  /** The first element that is no string. */
  readonly other?: { readonly element: number; readonly value: unknown }
}

/** A list of strings as they stand in the body. */
export class LongTexts {
  /**
   * @param bytes the body
   * @param starts first bytes behind the opening quotes
   * @param ends the closing quotes
   * @param faults a list with a fault may lack elements
   */
  constructor(
    private bytes: Buffer,
    private readonly starts: Offsets,
    private readonly ends: Offsets,
    readonly faults: TextFaults,
  ) {}

  get length(): number {
    return this.starts.length
  }

  *[Symbol.iterator](): IterableIterator<LongText> {
    for (let i = 0; i < this.length; i++) yield new LongText(this.bytes, this.starts.at(i), this.ends.at(i))
  }

  /** Called when nobody needs the texts any more: releases the body. Returns the body's length in bytes. */
  letGo(): number {
    const { length } = this.bytes
    this.bytes = Buffer.alloc(0)
    return length
  }
}
