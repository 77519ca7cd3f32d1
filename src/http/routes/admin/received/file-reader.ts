import { createHash } from 'node:crypto'
import { Pace, type StopSignal } from '../../../../turn.js'

/** Reads a file as its chunks arrive and hashes it. Holds one chunk at a time. */
export class FileReader {
  readonly #hash = createHash('sha256')
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #pace: Pace
  #chunk: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncIterable<Uint8Array>, signal: StopSignal) {
    this.#chunks = chunks[Symbol.asyncIterator]()
    this.#pace = new Pace(signal)
  }

  /** Fills `target` with the next bytes. @returns how many there were: fewer than asked where the file ends */
  async fill(target: Uint8Array): Promise<number> {
    let filled = 0
    while (filled < target.length && (await this.#hasMore())) {
      const piece = this.#chunk.subarray(0, target.length - filled)
      target.set(piece, filled)
      filled += piece.length
      this.#chunk = this.#chunk.subarray(piece.length)
    }
    return filled
  }

  /** Whether the file has ended. */
  async isAtEnd(): Promise<boolean> {
    return !(await this.#hasMore())
  }

  /** SHA-256 of all that was read, in hex. Nothing can be read afterwards. */
  sha256(): string {
    return this.#hash.digest('hex')
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #hasMore(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      if (this.#pace.isOver) await this.#pace.nextTurn()
      const { done, value } = await this.#chunks.next()
      if (done) return false
      this.#hash.update(value)
      this.#chunk = value
    }
    return true
  }
}
