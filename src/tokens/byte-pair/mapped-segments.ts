import type { TokenBuffer } from '../token-buffer.js'
import type { Vocabulary } from '../vocabulary.js'
import { Alignment } from './alignment.js'
import type { BytePairKernel, Document } from './byte-pair-kernel.js'
import type { Segments } from './document-stream.js'
import { joined } from './joined.js'
import { isOnlyStarters, isSurelyNormal, lastPart, normalForm, parts } from './normal-form.js'

const BLANK = 0x20
const NOTHING = new Uint8Array(0)
/** Bytes of text that wait for a place where normalizing may cut; beyond them it cuts at any character. */
const MAX_HELD_BYTES = 4096

export interface MappedOptions {
  /** Whether each text gets a blank in front unless it begins with one; never together with `normalizes`. */
  readonly addsBlank: boolean
  /** Whether text is brought into normal form C. */
  readonly normalizes: boolean
  /** The bytes of each token, where ranges are wanted. */
  readonly ranges: Vocabulary | undefined
}

/** Text that is changed before it goes to the kernel, or whose tokens need ranges. */
export class MappedSegments implements Segments {
  readonly #document: Document = {}
  /** Of the text being worked on, where ranges are wanted; undefined before its first byte. */
  #alignment: Alignment | undefined
  #held: Uint8Array = NOTHING
  /** Bytes that the kernel has got of the text, and those that its ids cover. */
  #given = 0
  #covered = 0

  constructor(
    private readonly kernel: BytePairKernel,
    private readonly options: MappedOptions,
  ) {}

  run(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): boolean {
    if (this.options.ranges !== undefined && utf8.length > 0) this.#alignment ??= new Alignment(start)
    const given = this.options.normalizes ? this.#normalized(utf8, start, isEnd, ids) : utf8
    const known = ids.length
    const more = this.kernel.run(this.#document, this.#withBlank(given, start, ids), isEnd, ids)
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

  #withBlank(utf8: Uint8Array, start: number, ids: TokenBuffer): Uint8Array {
    if (!this.options.addsBlank || this.#given > 0 || utf8.length === 0 || utf8[0] === BLANK) {
      this.#given += utf8.length
      return utf8
    }
    this.#given = 1 + utf8.length
    ids.characters-- // the blank is none of the document's
    // The blank stands where the first character does, as the Rust library says it.
    this.#alignment?.add({ given: 0, givenEnd: 1, start, end: start + sizeOf(utf8[0]!), next: start })
    return joined([Uint8Array.of(BLANK), utf8])
  }

  /** What of the text can be normalized now, in normal form C. */
  #normalized(utf8: Uint8Array, start: number, isEnd: boolean, ids: TokenBuffer): Uint8Array {
    if (this.#held.length === 0 && isSurelyNormal(utf8)) {
      // The last character may compose with one to come.
      if (isEnd || utf8.length === 0) return utf8
    }
    const held = this.#held
    const bytes = held.length === 0 ? utf8 : joined([held, utf8])
    const first = start - held.length
    let length = isEnd ? bytes.length : cut(bytes)
    if (bytes.length - length > MAX_HELD_BYTES) length = wholeCharacters(bytes)
    this.#held = new Uint8Array(bytes.subarray(length)) // a copy: the text is moved
    const ready = bytes.subarray(0, length)
    if (isSurelyNormal(ready)) return ready
    const text = Buffer.from(ready.buffer, ready.byteOffset, length).toString()
    if (isOnlyStarters(text) || normalForm(text) === text) return ready
    return this.#align(text, first, ids)
  }

  /** The text, which begins at byte `start` of the document, in normal form C; notes what changes. */
  #align(text: string, start: number, ids: TokenBuffer): Uint8Array {
    const all: Buffer[] = []
    let given = this.#given
    let place = start
    for (const part of parts(text)) {
      const normal = normalForm(part)
      const bytes = Buffer.from(normal)
      const length = normal === part ? bytes.length : Buffer.byteLength(part)
      if (normal !== part) {
        this.#alignment?.add({
          given,
          givenEnd: given + bytes.length,
          start: place,
          end: place + length,
          next: place + length,
        })
        ids.characters += [...part].length - [...normal].length
      }
      all.push(bytes)
      given += bytes.length
      place += length
    }
    return Buffer.concat(all)
  }

  #pushRanges(from: number, ids: TokenBuffer, { offsets }: Vocabulary): void {
    const alignment = this.#alignment
    for (let i = from; i < ids.length && alignment !== undefined; i++) {
      const id = ids.at(i)
      const end = this.#covered + (offsets[id + 1]! - offsets[id]!)
      ids.pushRange(alignment.startOf(this.#covered), alignment.endOf(end))
      this.#covered = end
    }
  }
}

/** Bytes up to the last place where a text may be cut before it is normalized. */
function cut(bytes: Uint8Array): number {
  for (let i = bytes.length - 1; i > 0; i--) if (bytes[i]! < 0x80) return i
  const whole = wholeCharacters(bytes)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, whole).toString()
  return Buffer.byteLength(text.slice(0, lastPart(text)))
}

/** Bytes of the character that begins with this byte. */
function sizeOf(lead: number): number {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
}

/** Bytes of the whole characters at the start. */
function wholeCharacters(bytes: Uint8Array): number {
  let start = bytes.length
  while (start > 0 && (bytes[start - 1]! & 0xc0) === 0x80) start--
  if (start === 0) return 0
  const size = sizeOf(bytes[start - 1]!)
  return start - 1 + size <= bytes.length ? start - 1 + size : start - 1
}
