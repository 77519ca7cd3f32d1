import type { Offsets } from '../../windows/offsets.js'
import { type LoneSurrogate, LongText } from './long-text.js'

/** What is wrong with a list of texts; each the first of its kind, none beyond an element that is no string. */
export interface TextFaults {
  readonly lone?: LoneSurrogate & { readonly element: number }
  /** Place of an empty string. */
  readonly empty?: number
  /** What is no string. */
  readonly other?: { readonly element: number; readonly value: unknown }
}

/** A list of strings of a body, as they stand there. */
export class LongTexts {
  /**
   * @param bytes of the body
   * @param starts first bytes behind the opening quotes
   * @param ends the closing quotes
   * @param faults a list that has one has not all of its elements
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

  /** The texts are done with: lets the body go. Returns its bytes. */
  letGo(): number {
    const { length } = this.bytes
    this.bytes = Buffer.alloc(0)
    return length
  }
}
