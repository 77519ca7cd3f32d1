import { lstatSync, lutimesSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { HEARTBEAT_MS, hasEnded, processName } from './process-name.js'

const LOCK = /^owner\.(\d+)$/
/** In place of a process: the last one let the folder go. */
const RELEASED = 'nobody'

/** Another process that is alive has the folder. */
export class FolderTaken extends Error {
  constructor(folder: string) {
    super(`${folder} belongs to another process.`)
  }
}

/**
 * Lets one process own a folder. The lock is a symbolic link `owner.N` to the process's name: the system creates a
 * link with its content at once, for one process only. The lock with the greatest N counts. A process that takes over
 * from one that has ended creates the next number; if several try, one succeeds.
 */
export class FolderLock {
  readonly #heartbeat: NodeJS.Timeout

  private constructor(
    private readonly folder: string,
    private readonly number: number,
  ) {
    link(folder, number, processName())
    this.#heartbeat = setInterval(() => {
      try {
        lutimesSync(pathOf(folder, number), new Date(), new Date())
      } catch {
        // The folder has been removed, or the next beat does it.
      }
    }, HEARTBEAT_MS).unref()
  }

  /** @throws FolderTaken */
  static take(folder: string): FolderLock {
    const older = numbersIn(folder)
    const last = Math.max(0, ...older)
    if (last > 0) {
      const owner = readlinkSync(pathOf(folder, last))
      const isFree = owner === RELEASED || owner === processName()
      if (!isFree && !hasEnded(owner, lstatSync(pathOf(folder, last)).mtimeMs)) throw new FolderTaken(folder)
    }
    const lock = new FolderLock(folder, last + 1)
    // Others may have taken the folder and let it go since its locks were listed: the last number is greater then.
    const isLast = Math.max(...numbersIn(folder)) === last + 1
    for (const number of isLast ? older : [last + 1]) remove(folder, number)
    if (isLast) return lock
    lock.end()
    throw new FolderTaken(folder)
  }

  /** Lets any other process have the folder at once. */
  release(): void {
    this.end()
    link(this.folder, this.number + 1, RELEASED)
    remove(this.folder, this.number)
  }

  /** Stops renewing the lock, because the folder was removed. */
  end(): void {
    clearInterval(this.#heartbeat)
  }
}

function pathOf(folder: string, number: number): string {
  return join(folder, `owner.${number}`)
}

function numbersIn(folder: string): readonly number[] {
  return readdirSync(folder).flatMap((name) => Number(LOCK.exec(name)?.[1] ?? []) || [])
}

function link(folder: string, number: number, name: string): void {
  try {
    symlinkSync(name, pathOf(folder, number))
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new FolderTaken(folder) : error
  }
}

function remove(folder: string, number: number): void {
  try {
    unlinkSync(pathOf(folder, number))
  } catch {
    // Another process that saw it removed it.
  }
}
