import { read } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { CorpusCard } from '../../../corpus/dataset-card.js'
import { isMissing } from '../../../files/aside.js'
import { ID_DTYPES } from '../../../first-layer/datasets/id-dtypes.js'
import type { TokenSource } from '../../../first-layer/datasets/segments.js'
import { datasetNotFound, refusedOpen } from '../errors.js'

/** The time for which the file stays open unused. */
const IDLE_MS = 10_000
/** Most bytes of one read of the system. */
const MOST_BYTES = 1 << 30

const readAt = promisify(read) // FileHandle's own costs three times as much

/** A corpus's ids in their file, which is open while it is used, and a little longer. */
export class DiskTokens implements TokenSource {
  #handle: Promise<FileHandle> | undefined
  /** Reads on their way, and requests that will read on. */
  #uses = 0
  #idle: NodeJS.Timeout | undefined

  constructor(
    private readonly path: string,
    private readonly card: CorpusCard,
  ) {}

  /** @throws InletError `dataset_not_found` where the dataset has been deleted, and no read had opened the file before */
  async read(place: number, out: Int32Array): Promise<void> {
    const { dtype } = this.card
    const width = ID_DTYPES[dtype].bytes
    const raw = new Uint8Array(out.buffer, out.byteOffset + (4 - width) * out.length, width * out.length)
    await this.readBytes(place * width, raw)
    if (dtype === 'uint16') widenInPlace(out)
  }

  /** Fills `out` with the file's bytes from `position` on. */
  async readBytes(position: number, out: Uint8Array): Promise<void> {
    const release = this.hold()
    try {
      this.#handle ??= open(this.path).catch((error) => {
        this.#handle = undefined
        throw error
      })
      const { fd } = await this.#handle
      for (let at = 0; at < out.length; ) {
        const most = Math.min(MOST_BYTES, out.length - at)
        const { bytesRead } = await readAt(fd, out, at, most, position + at)
        if (bytesRead === 0) throw new Error(`${this.path} has become shorter than it was.`)
        at += bytesRead
      }
    } catch (error) {
      if (isMissing(error)) throw datasetNotFound(this.card.id)
      throw refusedOpen(error)
    } finally {
      release()
    }
  }

  /** Keeps the file open until the returned function is called: it can be read to its end though it is deleted. */
  hold(): () => void {
    this.#uses++
    clearTimeout(this.#idle)
    return () => {
      if (--this.#uses > 0) return
      this.#idle = setTimeout(() => {
        void this.#handle?.then((handle) => handle.close()).catch(() => {})
        this.#handle = undefined
      }, IDLE_MS).unref()
    }
  }
}

/** 16-bit ids in the second half of an array's memory → ids from its beginning on. */
function widenInPlace(out: Int32Array): void {
  const { length } = out
  const narrow = new Uint16Array(out.buffer, out.byteOffset + 2 * length, length)
  for (let i = 0; i < length; i++) out[i] = narrow[i] // what is written has been read: 4·(i + 1) ≤ 2·length + 2·(i + 1)
}
