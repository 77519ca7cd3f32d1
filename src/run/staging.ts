import { createHash } from 'node:crypto'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AsideFolder, syncFolder } from '../files/aside.js'
import { ID_DTYPES, type IdDtypeName } from '../first-layer/datasets/id-dtypes.js'

/** A folder beside the outputs in which a shard's files are written until they are whole. */
export class StagingFolder {
  readonly #folder: AsideFolder
  readonly #files: StagedFile[] = []

  constructor(out: string) {
    this.#folder = new AsideFolder(out)
  }

  pathOf(name: string): string {
    return join(this.#folder.path, name)
  }

  async open(name: string): Promise<StagedFile> {
    await this.#folder.make()
    const file = new StagedFile(await open(this.pathOf(name), 'wx'))
    this.#files.push(file)
    return file
  }

  /** Renames a closed file to its target. A file that is already there has the same bytes. */
  async move(name: string, target: string): Promise<void> {
    await rename(this.pathOf(name), target)
    await syncFolder(dirname(target))
  }

  /** Renames the folder itself, with all its files. An existing target is left alone: its content is identical. */
  async moveAll(target: string): Promise<void> {
    await this.#folder.moveTo(target)
  }

  /** Removes everything that was not renamed. */
  async remove(): Promise<void> {
    for (const file of this.#files) await file.abandon()
    await this.#folder.remove()
  }
}

class StagedFile {
  readonly #hash = createHash('sha256')
  bytes = 0

  constructor(private readonly handle: FileHandle) {}

  /** The caller may change the bytes once the promise has settled. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    for (let at = 0; at < bytes.length; ) at += (await this.handle.write(bytes, at)).bytesWritten
    this.bytes += bytes.length
  }

  /** Writes ids without a header, little-endian. */
  async writeIds(ids: Int32Array, dtype: IdDtypeName): Promise<void> {
    const bytes = new Uint8Array(ids.length * ID_DTYPES[dtype].bytes)
    ID_DTYPES[dtype].write(ids, bytes)
    await this.write(bytes)
  }

  /** Makes the bytes durable. @returns their SHA-256 in hexadecimal */
  async close(): Promise<string> {
    await this.handle.sync()
    await this.handle.close()
    return this.#hash.digest('hex')
  }

  async abandon(): Promise<void> {
    await this.handle.close().catch(() => {})
  }
}
