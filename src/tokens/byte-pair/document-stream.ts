import { SpecialFinder, type SpecialMatch } from '../special-finder.js'
import type { TokenBuffer } from '../token-buffer.js'
import type { TokenStream } from '../token-stream.js'
import type { BytePairKernel, Document } from './byte-pair-kernel.js'

/**
 * Bytes tokenized in one advance: half a millisecond for ordinary text, a few milliseconds for the most hostile.
 */
const ADVANCE_BYTES = 16_384

/**
 * One document: holds the bytes that the kernel has not got yet, and finds special tokens in them. The text
 * before a special token ends there, as if it were a document of its own.
 *
 * Offsets count from the document's first byte; `#waiting` begins at `#base`.
 */
export class DocumentStream implements TokenStream {
  readonly #document: Document = {}
  readonly #finder: SpecialFinder
  #waiting = Buffer.alloc(0)
  #base = 0
  #length = 0
  #taken = 0 // by the kernel
  #searched = 0
  #special: SpecialMatch | undefined
  #ended = false
  #done = false
  #hasMore = false

  constructor(
    private readonly kernel: BytePairKernel,
    specialTokens: ReadonlyMap<string, number>,
    allowedSpecial: ReadonlySet<string>,
  ) {
    this.#finder = new SpecialFinder(specialTokens, allowedSpecial)
  }

  write(utf8: Uint8Array): void {
    const kept = this.#length - this.#taken
    if (this.#length - this.#base + utf8.length > this.#waiting.length) {
      const room = kept + utf8.length
      const waiting =
        room * 2 > this.#waiting.length ? Buffer.allocUnsafe(kept === 0 ? room : room * 2) : this.#waiting
      waiting.set(this.#waiting.subarray(this.#taken - this.#base, this.#length - this.#base))
      this.#waiting = waiting
      this.#base = this.#taken
    }
    this.#waiting.set(utf8, this.#length - this.#base)
    this.#length += utf8.length
  }

  end(): void {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean {
    for (let budget = ADVANCE_BYTES; budget > 0; ) {
      if (this.#done) return false
      if (!this.#hasMore) this.#search()
      const limit = this.#special?.start ?? this.#length - (this.#ended ? 0 : this.#finder.overhang)
      const count = this.#hasMore ? 0 : Math.max(0, Math.min(budget, limit - this.#taken))
      const isEnd = (this.#special !== undefined || this.#ended) && this.#taken + count === limit
      if (count === 0 && !isEnd && !this.#hasMore) return false

      const start = this.#taken - this.#base
      const utf8 = this.#waiting.subarray(start, start + count)
      this.#hasMore = this.kernel.run(this.#document, utf8, isEnd, ids)
      this.#taken += count
      // Work is left on a long piece: that uses up this call's budget.
      budget -= this.#hasMore ? ADVANCE_BYTES : count + 16
      if (isEnd && !this.#hasMore) this.#finish(ids)
    }
    return !this.#done
  }

  #finish(ids: TokenBuffer): void {
    if (this.#special) {
      ids.push(this.#special.id)
      ids.characters += this.#special.characters
      this.#taken = this.#searched = this.#special.start + this.#special.length
      this.#special = undefined
    } else {
      this.#done = true
      this.kernel.leave(this.#document)
    }
  }

  #search(): void {
    if (this.#special || this.#searched >= this.#length) return
    const text = this.#waiting.subarray(this.#searched - this.#base, this.#length - this.#base)
    const found = this.#finder.find(text, 0)
    if (found) this.#special = { ...found, start: this.#searched + found.start }
    else this.#searched = Math.max(this.#searched, this.#length - this.#finder.overhang)
  }
}
