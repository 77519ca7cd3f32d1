import { join } from 'node:path'
import { HEARTBEAT_MS, hasEnded, processName } from '../../datasets/disk/upload-owner.js'
import type { FileSystem } from './file-system.js'

const LOCK = /^owner\.(\d+)$/
/** In place of a process: the last one closed the folder. */
const RELEASED = 'nobody'

/** Another process that is alive writes the folder. */
export class FolderTaken extends Error {
  constructor(
    readonly folder: string,
    readonly owner: string,
  ) {
    super(`${folder} belongs to another process: ${owner}`)
  }
}

/**
 * One process alone writes a model's folder. Its lock is a symbolic link `owner.N` to the process's name, since a link is
 * made with its content, by one process only. The lock with the greatest N counts. To take over from a process that has
 * ended, the next number is taken: of several that see the same old lock, one gets it. Numbers only go up.
 */
export class FolderOwner {
  readonly #heartbeat: NodeJS.Timeout

  private constructor(
    private readonly fs: FileSystem,
    private folder: string,
    private readonly number: number,
  ) {
    const beat = () => {
      try {
        fs.lutimesSync(this.#path(number), new Date(), new Date())
      } catch {
        // The folder has been removed, or the next beat does it.
      }
    }
    this.#heartbeat = setInterval(beat, HEARTBEAT_MS).unref()
  }

  /** @throws FolderTaken */
  static take(fs: FileSystem, folder: string): FolderOwner {
    const [last = 0, ...older] = locks(fs, folder)
    const lastPath = join(folder, `owner.${last}`)
    if (last > 0) {
      const owner = fs.readlinkSync(lastPath)
      const isFree = owner === RELEASED || owner === processName()
      if (!isFree && !hasEnded(owner, fs.lstatSync(lastPath).mtimeMs)) throw new FolderTaken(folder, owner)
    }
    const taken = new FolderOwner(fs, folder, last + 1)
    taken.#write(last + 1, processName())
    taken.#checkIsLast()
    for (const number of [last, ...older].filter((number) => number > 0)) taken.#remove(number)
    return taken
  }

  /** Lets any other process have the folder at once. */
  release(): void {
    clearInterval(this.#heartbeat)
    this.#write(this.number + 1, RELEASED)
    this.#remove(this.number)
  }

  /** The folder has been renamed. */
  moved(folder: string): void {
    this.folder = folder
  }

  /** Stops the signs of life: the folder is gone. */
  end(): void {
    clearInterval(this.#heartbeat)
  }

  #write(number: number, name: string): void {
    try {
      this.fs.symlinkSync(name, this.#path(number))
    } catch (error) {
      clearInterval(this.#heartbeat)
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        throw new FolderTaken(this.folder, this.fs.readlinkSync(this.#path(number)))
      }
      throw error
    }
  }

  /** Others may have taken the folder and let it go since its locks were listed: the present one's number is greater then. */
  #checkIsLast(): void {
    const [last] = locks(this.fs, this.folder)
    if (last === this.number) return
    this.#remove(this.number)
    clearInterval(this.#heartbeat)
    throw new FolderTaken(this.folder, 'one that came first')
  }

  #remove(number: number): void {
    try {
      this.fs.unlinkSync(this.#path(number))
    } catch {
      // Another process that saw it removed it.
    }
  }

  #path(number: number): string {
    return join(this.folder, `owner.${number}`)
  }
}

/** Numbers of a folder's locks, the greatest first. */
function locks(fs: FileSystem, folder: string): readonly number[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => LOCK.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a)
}
