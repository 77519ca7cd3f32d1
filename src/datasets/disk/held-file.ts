import { read as readFile } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A file read by position. It is open while it is used, and `rest` lets it go. */
export class HeldFile {
  #handle: Promise<FileHandle> | undefined
  /** Reads on their way, and requests that will read on. */
  #uses = 0
  #isResting = false

  constructor(private readonly path: string) {}

  /** Fills `out` with the file's bytes from `position` on. @throws Error of the file system, or where the file ends before */
  async read(position: number, out: Uint8Array): Promise<void> {
    const release = this.hold()
    try {
      const { fd } = await this.#open()
      for (let at = 0; at < out.length; ) {
        const bytes = await readAt(fd, out, at, position + at)
        if (bytes === 0) throw new Error(`${this.path} has become shorter than it was.`)
        at += bytes
      }
    } finally {
      release()
    }
  }

  /** Keeps the file open until the returned function is called: it can be read to its end though it is deleted. */
  hold(): () => void {
    this.#uses++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#uses--
      if (this.#isResting) this.rest()
    }
  }

  /** Closes the file as soon as nobody uses it. A later read opens it again, for itself alone. */
  rest(): void {
    this.#isResting = true
    if (this.#uses > 0) return
    void this.#handle?.then((handle) => handle.close()).catch(() => {})
    this.#handle = undefined
  }

  #open(): Promise<FileHandle> {
    this.#handle ??= open(this.path).catch((error) => {
      this.#handle = undefined
      throw error
    })
    return this.#handle
  }
}

/** Node's own promise for a read costs three times as much. */
function readAt(fd: number, out: Uint8Array, at: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    readFile(fd, out, at, out.length - at, position, (error, bytes) =>
      error === null ? resolve(bytes) : reject(error),
    )
  })
}
