/** A read of the page cache takes some microseconds, and less than one more for each kilobyte; one of a disk takes more. */
const CACHED_MS = 0.1
const CACHED_MS_A_BYTE = 1e-6
/** Reads that go aside once a read was slow. */
const ASIDE = 64

/**
 * Reads from a file that the page cache may hold. What it holds is read at once, as a memory map is: by way of Node's
 * threads that takes several times as long. After a read that was slow, the next ones go aside: several at a time, and
 * the caller's thread goes on meanwhile.
 *
 * @param atOnce reads before it returns
 */
export class FileReads {
  #aside = 0

  constructor(
    private readonly atOnce: (place: number, out: Int32Array) => void,
    private readonly aside: (place: number, out: Int32Array) => Promise<void>,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  read(place: number, out: Int32Array): Promise<void> | undefined {
    if (this.#aside > 0) {
      this.#aside--
      return this.aside(place, out)
    }
    const began = this.clock()
    this.atOnce(place, out)
    if (this.clock() - began > CACHED_MS + CACHED_MS_A_BYTE * out.byteLength) this.#aside = ASIDE
    return undefined
  }
}
