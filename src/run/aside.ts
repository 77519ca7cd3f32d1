import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AsideFolder, syncFolder } from '../files/aside.js'

/** A folder beside the outputs where files are written until they are whole. */
export class Aside {
  readonly #folder: AsideFolder

  constructor(out: string) {
    this.#folder = new AsideFolder(out)
  }

  async open(name: string): Promise<AsideFile> {
    await this.#folder.make()
    return new AsideFile(await open(join(this.#folder.path, name), 'wx'))
  }

  /** Gives a closed file its name; one that is there has the same bytes. */
  async move(name: string, target: string): Promise<void> {
    await rename(join(this.#folder.path, name), target)
    await syncFolder(dirname(target))
  }

  /** Gives the folder itself, with all its files, a name below the output. One that is there has the same bytes. */
  async moveAll(target: string): Promise<void> {
    await this.#folder.moveTo(target)
  }

  /** The bytes of a closed file, in blocks of 64 KiB. */
  blocks(name: string): AsyncIterable<Buffer> {
    return createReadStream(join(this.#folder.path, name))
  }

  unlink(name: string): Promise<void> {
    return unlink(join(this.#folder.path, name))
  }

  /** Removes what has got no name. */
  remove(): Promise<void> {
    return this.#folder.remove()
  }
}

/** A file on its way: its length and its SHA-256. */
export class AsideFile {
  readonly #hash = createHash('sha256')
  bytes = 0

  constructor(private readonly handle: FileHandle) {}

  /** Appends bytes; they are read no more once this settles. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.handle.write(bytes, at)
      at += bytesWritten
    }
    this.bytes += bytes.length
  }

  /** Makes the bytes last, and gives their SHA-256 in hexadecimal. */
  async close(): Promise<string> {
    await this.handle.sync()
    await this.handle.close()
    return this.#hash.digest('hex')
  }

  /** Closes the file where it is still open. */
  async abandon(): Promise<void> {
    await this.handle.close().catch(() => {})
  }
}
