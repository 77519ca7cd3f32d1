import { InletError, overloaded } from '../../service/answer/error-table.js'
import type { HeldFile } from './admin.js'

/** Most checkpoints on their way at once: each holds its memory. */
const MAX_FILES = 8

/** Checkpoints on their way, in memory that all threads share. */
export class HeldFiles {
  readonly #files = new Map<number, HeldFile>()
  #next = 1

  /** Bytes of all. */
  get bytes(): number {
    return [...this.#files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  /** @throws InletError `overloaded` */
  checkRoom(): void {
    if (this.#files.size < MAX_FILES) return
    throw overloaded(`At most ${MAX_FILES} checkpoints can be on their way at once.`)
  }

  /** @throws InletError `insufficient_memory` where the system has not as much */
  add(bytes: number, version: number): HeldFile {
    const held = this.#next++
    const file = { held, bytes: new Uint8Array(sharedMemory(bytes)), version }
    this.#files.set(held, file)
    return file
  }

  get(held: number): HeldFile | undefined {
    return this.#files.get(held)
  }

  letGo(held: number): void {
    this.#files.delete(held)
  }
}

function sharedMemory(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes)
  } catch {
    throw new InletError(
      'insufficient_memory',
      `The system has no ${bytes} bytes of memory for a checkpoint.`,
    )
  }
}
