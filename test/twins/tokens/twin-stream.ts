import type { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import type { TokenStream } from '../../../src/first-layer/tokens/tokenizer.js'
import { classOf } from './character-class.js'
import { LongMerge } from './long-merge.js'
import type { Merges } from './merges.js'
import type { Scanner } from './scanner.js'
import { SpecialFinder, type SpecialMatch } from './special-finder.js'
import type { ScannerClass } from './twin-encoding.js'

const STEPS = 8192 // characters and merges in one advance
const SHORT_PIECE = 32 // bytes up to which looking at all pairs each time is quicker than a heap

/** All offsets count from the document's first byte; the window holds the bytes from `#base` on. */
export class TwinStream implements TokenStream {
  readonly #finder: SpecialFinder
  readonly #scanner: Scanner
  readonly #pieceEnds: number[] = []
  #window = Buffer.alloc(1024)
  #base = 0
  #length = 0 // of the document so far
  #ended = false
  #scanned = 0
  #merged = 0
  #searched = 0
  #special: SpecialMatch | undefined
  #finished = false // the scanner has been told that the text before #special, or the whole, is over
  #long: LongMerge | undefined

  constructor(
    scanner: ScannerClass,
    private readonly merges: Merges,
    specialTokens: ReadonlyMap<string, number>,
    allowed: ReadonlySet<string>,
  ) {
    this.#finder = new SpecialFinder(specialTokens, allowed)
    this.#scanner = new scanner((end) => this.#pieceEnds.push(end))
    this.#scanner.begin(0)
  }

  write(utf8: Uint8Array): void {
    if (this.#length - this.#base + utf8.length > this.#window.length) this.#makeRoom(utf8.length)
    this.#window.set(utf8, this.#length - this.#base)
    this.#length += utf8.length
  }

  end(): void {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    let steps = STEPS
    while (steps > 0) {
      if (this.#long) {
        if (!this.#long.advance(ids, steps)) this.#long = undefined
        return true
      }
      if (this.#pieceEnds.length > 0) {
        const end = this.#pieceEnds.shift()!
        const piece = this.#window.subarray(this.#merged - this.#base, end - this.#base)
        this.#merged = end
        steps -= piece.length
        if (piece.length > SHORT_PIECE) this.#long = new LongMerge(this.merges, piece)
        else for (const id of this.merges.mergeAll(piece)) ids.push(id)
        continue
      }
      if (this.#finished) {
        if (!this.#special) return false
        ids.push(this.#special.id)
        this.#beginAfter(this.#special)
        continue
      }
      const taken = this.#scan(Math.min(steps, 256))
      steps -= taken + 1
      if (taken === 0 && !this.#finished) return false
    }
    return true
  }

  /** Scans up to `count` characters that are known to belong to no special token; tells how many. */
  #scan(count: number): number {
    if (!this.#special && this.#searched < this.#length) {
      const text = this.#window.subarray(this.#searched - this.#base, this.#length - this.#base)
      const found = this.#finder.find(text, 0)
      if (found) this.#special = { ...found, start: found.start + this.#searched }
      this.#searched = Math.max(this.#scanned, this.#length - this.#finder.overhang)
    }
    const limit = this.#special?.start ?? this.#length - (this.#ended ? 0 : this.#finder.overhang)
    let taken = 0
    for (; taken < count && this.#scanned < limit; taken++) {
      const at = this.#scanned - this.#base
      const lead = this.#window[at]!
      const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
      const end = this.#scanned + size
      if (end > limit) break
      let codePoint = size === 1 ? lead : lead & (0xff >> (size + 1))
      for (let i = 1; i < size; i++) codePoint = (codePoint << 6) | (this.#window[at + i]! & 0x3f)
      this.#scanner.push(classOf(codePoint), codePoint, this.#scanned, end)
      this.#scanned = end
    }
    if (this.#scanned === limit && (this.#special || this.#ended)) {
      this.#scanner.finish(limit)
      this.#finished = true
    }
    return taken
  }

  #beginAfter({ start, length }: SpecialMatch): void {
    this.#scanned = this.#merged = this.#searched = start + length
    this.#special = undefined
    this.#finished = false
    this.#scanner.begin(this.#scanned)
  }

  #makeRoom(bytes: number): void {
    const kept = this.#window.subarray(this.#merged - this.#base, this.#length - this.#base)
    const wanted = 2 * (kept.length + bytes)
    const window = wanted > this.#window.length ? Buffer.alloc(wanted) : this.#window
    window.set(kept) // set() allows for overlap
    this.#window = window
    this.#base = this.#merged
  }
}
