import type { Writable } from 'node:stream'

/**
 * Writes blocks to a stream, one after the other, until {@link end} is called.
 *
 * A race of each write against one promise of the end would leave a reaction at this promise for every block. A gigabyte
 * leaves tens of thousands, which stay in memory and all run in one turn when the promise settles.
 */
export class Writes {
  #isOver = false
  #settle = (_isTaken: boolean) => {}

  constructor(private readonly stream: Pick<Writable, 'write' | 'cork' | 'uncork'>) {}

  /** Ends the write that is waited for, and all later ones. */
  end(): void {
    this.#isOver = true
    this.#settle(false)
  }

  /** Whether the stream has taken a block; false where it failed, or {@link end} came first. */
  taken(block: Uint8Array): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#settle = resolve
      this.stream.write(block, (error) => resolve(!error))
    })
  }

  /** Whether the stream has taken these blocks, at least one, which go to the system as one write. */
  allTaken(blocks: readonly Uint8Array[]): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    this.stream.cork()
    for (const block of blocks.slice(0, -1)) this.stream.write(block)
    const taken = this.taken(blocks[blocks.length - 1])
    this.stream.uncork()
    return taken
  }
}
