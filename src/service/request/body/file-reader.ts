import { createHash } from 'node:crypto'
import { isTurnOver, nextTurn, type StopSignal } from '../../../first-layer/running/drive.js'

/** Reads a file as its chunks arrive and digests it. Holds one chunk at a time. */
export class FileReader {
  readonly #content = createHash('sha256')
  #chunk: Uint8Array = new Uint8Array()

  constructor(
    private readonly chunks: AsyncGenerator<Uint8Array, void, void>,
    private readonly signal: StopSignal,
  ) {}

  /** Fills `target` with the next bytes. @returns how many there were: fewer than asked where the file ends */
  async fill(target: Uint8Array): Promise<number> {
    let filled = this.#give(target)
    while (filled < target.length) {
      if (isTurnOver()) await nextTurn(this.signal)
      const { done, value: chunk } = await this.chunks.next()
      if (done) break
      this.#content.update(chunk)
      this.#chunk = chunk
      filled += this.#give(target.subarray(filled))
    }
    return filled
  }

  /** Whether the file has ended. */
  async isAtEnd(): Promise<boolean> {
    const more = new Uint8Array(1)
    return (await this.fill(more)) === 0
  }

  /** The SHA-256 of all that was read, in hex. Nothing can be read afterwards. */
  digest(): string {
    return this.#content.digest('hex')
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    await this.chunks.return()
  }

  /** Adds bytes that have arrived. @returns how many */
  #give(target: Uint8Array): number {
    const piece = this.#chunk.subarray(0, target.length)
    target.set(piece)
    this.#chunk = this.#chunk.subarray(piece.length)
    return piece.length
  }
}
