import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { HEARTBEAT_MS, hasEnded, processName } from './process-name.js'

const PREFIX = '.aside-'

/** Makes a folder and those above it. @throws Error of the file system */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  await mkdir(path, { recursive: true, mode })
}

/** A new file, which is hashed while it is written. */
export class AsideFile {
  readonly #hash = createHash('sha256')
  bytes = 0

  constructor(private readonly handle: FileHandle) {}

  /** The caller may change the bytes once the promise has settled. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    this.bytes += bytes.length
    await this.handle.appendFile(bytes)
  }

  /** Makes the bytes durable. @returns their SHA-256 in hexadecimal */
  async close(): Promise<string> {
    await this.handle.sync()
    await this.handle.close()
    return this.#hash.digest('hex')
  }
}

/**
 * A folder beside finished ones in which this process works. It gets its name by a rename when it is whole. Until then its
 * name tells the owner, and its time that the owner lives.
 */
export class AsideFolder {
  readonly path: string
  readonly #handles: FileHandle[] = []
  #heartbeat: NodeJS.Timeout | undefined

  constructor(
    private readonly root: string,
    name = asideName(),
  ) {
    this.path = join(root, name)
  }

  /** Makes the folder at the first call. */
  async make(): Promise<void> {
    if (this.#heartbeat !== undefined) return
    const beat = () => void utimes(this.path, new Date(), new Date()).catch(() => {})
    this.#heartbeat = setInterval(beat, HEARTBEAT_MS).unref()
    await makeFolder(this.path, 0o700)
  }

  /** Begins a file in the folder, which is made where it is not there. */
  async open(name: string): Promise<AsideFile> {
    await this.make()
    const handle = await open(join(this.path, name), 'wx')
    this.#handles.push(handle)
    return new AsideFile(handle)
  }

  /** Renames the folder, with all that is in it. @returns false where the name is taken */
  async moveTo(name: string): Promise<boolean> {
    await syncFolder(this.path)
    try {
      await rename(this.path, join(this.root, name))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
      throw error
    }
    await syncFolder(this.root)
    return true
  }

  /** Renames one closed file. A file that is already there has the same bytes. */
  async moveFile(name: string, target: string): Promise<void> {
    await rename(join(this.path, name), target)
    await syncFolder(dirname(target))
  }

  /** Removes what is still there under its first name. */
  async remove(): Promise<void> {
    clearInterval(this.#heartbeat)
    for (const handle of this.#handles) await handle.close().catch(() => {})
    await rm(this.path, { recursive: true, force: true })
  }
}

/**
 * Writes a file that other processes find whole or not at all, also after a loss of power: it is written aside, made durable
 * and renamed. One that is there is replaced.
 *
 * @param root the folder in which it is aside, where that is not its own
 */
export async function writeWhole(
  path: string,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  root = dirname(path),
): Promise<void> {
  const aside = join(root, asideName(basename(path)))
  try {
    await writeSynced(aside, blocks)
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/** Writes a file that is not there yet, and makes its bytes durable. */
export async function writeSynced(
  path: string,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  await using handle = await open(path, 'wx')
  await writeFile(handle, blocks)
  await handle.sync()
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

/** Removes what is aside in a folder and belongs to processes that have ended. @param removed told of each path */
export async function removeAbandoned(root: string, removed: (path: string) => void): Promise<void> {
  for (const name of (await namesIn(root)).filter(isAside)) {
    const path = join(root, name)
    const moved = join(root, asideName())
    try {
      if (!hasEnded(ownerOf(name), (await stat(path)).mtimeMs)) continue
      await rename(path, moved) // if its owner lives after all, it finds nothing, never a part
    } catch (error) {
      if (isMissing(error)) continue
      throw error
    }
    await rm(moved, { recursive: true, force: true })
    removed(path)
  }
}

/** Removes all unfinished folders of this process: its threads ended while they wrote them. */
export async function removeOwn(root: string): Promise<void> {
  for (const name of (await namesIn(root)).filter(isAside))
    if (ownerOf(name) === processName()) await rm(join(root, name), { recursive: true, force: true })
}

/** Whether a name in a folder is that of something unfinished. */
export function isAside(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** A new name that contains the writing process's name. */
export function asideName(what = ''): string {
  return `${PREFIX}${processName()}-${randomBytes(6).toString('hex')}${what && `-${what}`}`
}

/** The names in a folder; none where there is no folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(undefinedIfMissing)) ?? []
}

/** Bytes of the blocks in which a disk keeps a file, or a folder's names. */
export const BLOCK_BYTES = 4096

export function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
}

/** Bytes that all files and folders below one take of a disk, in blocks. @param isLeftOut folders of these names */
export async function bytesBelow(folder: string, isLeftOut = (_: string) => false): Promise<number> {
  let sum = 0
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(undefinedIfMissing)) ?? []) {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) sum += onDisk((await stat(path).catch(undefinedIfMissing))?.size ?? 0)
    else if (!isLeftOut(entry.name)) sum += BLOCK_BYTES + (await bytesBelow(path, isLeftOut))
  }
  return sum
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** For `catch`: undefined where a file is missing. @throws any other error */
export function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

function ownerOf(name: string): string {
  return /^\.aside-(.*-\d+-\d+)-[0-9a-f]{12}(-|$)/.exec(name)?.[1] ?? ''
}
