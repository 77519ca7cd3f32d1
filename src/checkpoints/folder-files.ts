import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { type CheckpointFiles, folderError, MAX_TEXT_BYTES } from './checkpoint-files.js'

/**
 * A model's folder. Opens files within it only: a link must lead to a file within the folder, or, in the Hugging Face cache,
 * within the model's part of the cache (`snapshots/COMMIT/x` → `blobs/ETAG`).
 */
export class FolderFiles implements CheckpointFiles {
  readonly source = '.'

  private constructor(
    readonly path: string,
    private readonly roots: readonly string[],
  ) {}

  static async at(path: string): Promise<FolderFiles> {
    const real = await realpath(path).catch(() => path) // of a folder that is not there, no file is
    const cache = dirname(dirname(real))
    const isSnapshot = basename(dirname(real)) === 'snapshots' && basename(cache).startsWith('models--')
    return new FolderFiles(path, isSnapshot ? [real, join(cache, 'blobs')] : [real])
  }

  /** @throws InletError `model_failed` if there is no such folder */
  names(inside = ''): Promise<readonly string[]> {
    return readdir(join(this.path, inside)).catch((error: NodeJS.ErrnoException) => {
      throw folderError(inside || basename(this.path), `must be a folder that can be read (${error.code})`)
    })
  }

  /** Tells apart what the folder has at two times, by the names, sizes and times of all that is in it. */
  async stamp(): Promise<string> {
    const names = await readdir(this.path, { recursive: true }).catch(() => this.names())
    const facts = [...names].sort().map(async (name) => {
      const found = await stat(join(this.path, name)).catch(() => undefined) // a link to nothing, which nobody may read
      return [name, found?.size, found?.mtimeMs, found?.ino]
    })
    return JSON.stringify(await Promise.all(facts))
  }

  /** @throws InletError `model_failed` if it is missing, no regular file, or a link out of the folder */
  async open(name: string): Promise<FileHandle> {
    const unreadable = (error: NodeJS.ErrnoException) => {
      throw folderError(name, error.code === 'ENOENT' ? 'is missing' : `cannot be read (${error.code})`)
    }
    const real = await realpath(join(this.path, name)).catch(unreadable)
    if (!this.roots.some((root) => real.startsWith(root + sep)))
      throw folderError(name, `must be a file within the folder. It is a link out of it`)
    // O_NONBLOCK: opening a FIFO would wait for a writer.
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
      unreadable,
    )
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw folderError(name, 'must be a regular file')
  }

  /** @throws InletError `model_failed` for a file that is longer or not UTF-8, and as {@link open} */
  async text(name: string): Promise<string | undefined> {
    const inside = dirname(name)
    if (!(await this.names(inside)).includes(basename(name))) return undefined
    await using file = await this.open(name)
    const { size } = await file.stat()
    if (size > MAX_TEXT_BYTES)
      throw folderError(name, `must have at most ${MAX_TEXT_BYTES} bytes. It has ${size}`)
    const bytes = await file.readFile()
    if (!isUtf8(bytes)) throw folderError(name, 'must be UTF-8')
    return bytes.toString()
  }
}
