/** What is done counts with a weight that falls by a factor e in so many milliseconds. */
const MEMORY_MS = 3000
/** Bytes of text that take as long as all that a job takes besides its text. */
const JOB_BYTES = 1024

/** How fast jobs are done, measured by those of the last seconds. */
export class Pace {
  #bytes = 0
  #milliseconds = 0
  #since = 0

  /** Notes that a job begins where none was at work. */
  begin(): void {
    this.#since = performance.now()
  }

  /** Notes that a job of so many bytes is done. Several are at work at once: the time since the last one counts. */
  done(bytes: number): void {
    const now = performance.now()
    const passed = now - this.#since
    const kept = Math.exp(-passed / MEMORY_MS)
    this.#bytes = this.#bytes * kept + bytes + JOB_BYTES
    this.#milliseconds = this.#milliseconds * kept + passed
    this.#since = now
  }

  /** Milliseconds that so many jobs will take, of so many bytes in all; 0 as long as nothing is known. */
  expect(jobs: number, bytes: number): number {
    if (this.#bytes === 0) return 0
    return ((bytes + jobs * JOB_BYTES) * this.#milliseconds) / this.#bytes
  }
}
