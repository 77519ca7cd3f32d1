/** A read of the page cache takes some microseconds, and less than one more for each kilobyte; one of a disk takes more. */
const CACHED_MS = 0.1
const CACHED_MS_A_BYTE = 1e-6
/** Reads that go aside once two of as many were slow: one alone may have been the thread's, which waited for its core. */
const ASIDE = 64

/**
 * Reads from a file that may be in the page cache. Cached parts are read synchronously, like a memory map: Node's
 * threads would take several times as long. After slow reads the next ones are asynchronous: several at a time,
 * while the caller's thread continues.
 */
export class CachedReads<Out extends ArrayBufferView, Read = void> {
  #aside = 0
  #quick = 0

  /** @param atOnce reads before it returns */
  constructor(
    private readonly atOnce: (place: number, out: Out) => void,
    private readonly aside: (place: number, out: Out) => Promise<Read>,
  ) {}

  read(place: number, out: Out): Promise<Read> | undefined {
    if (this.#aside > 0) {
      this.#aside--
      return this.aside(place, out)
    }
    const began = performance.now()
    this.atOnce(place, out)
    this.#quick++
    if (performance.now() - began > CACHED_MS + CACHED_MS_A_BYTE * out.byteLength) {
      if (this.#quick < ASIDE) this.#aside = ASIDE
      this.#quick = 0
    }
    return undefined
  }
}
