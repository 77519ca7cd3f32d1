import { InletError, overloaded } from '../../service/answer/error-table.js'
import { uploadGone } from '../../service/models/errors.js'

/** Most checkpoints on their way at once: each holds its memory. */
const MAX_FILES = 8

/** Memory for a file on its way, shared by all threads, until `letGo`. */
export interface HeldFile {
  readonly held: number
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** The version of the tables in a checkpoint. */
  readonly version: number
}

/** The checkpoints that callers get and put. */
export class HeldFiles {
  readonly #files = new Map<number, HeldFile>()
  #next = 1

  get bytes(): number {
    return [...this.#files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  /** @throws InletError `overloaded` */
  checkCount(): void {
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

  get(held: number): HeldFile {
    const file = this.#files.get(held)
    if (file === undefined) throw uploadGone()
    return file
  }

  letGo(held: number): void {
    this.#files.delete(held)
  }
}

function sharedMemory(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes)
  } catch {
    const message = `The system has no ${bytes} bytes of memory for a checkpoint.`
    throw new InletError('insufficient_memory', message)
  }
}
