import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BesideFile } from '../storage.js'
import type { DiskUsage } from './disk-usage.js'
import { CARD_FILE, FILES, isMissing } from './folders.js'
import { readAt } from './read-at.js'

/** Bytes of one write. */
const PIECE_BYTES = 1 << 20
/** What stands beside a dataset takes at most as many bytes as its own files, but may always take so many. */
export const FREE_BYTES = 1 << 26

/** A dataset's own files: the others stand beside it. */
export const OWN_FILES: readonly string[] = [CARD_FILE, ...Object.values(FILES)]

/** Files beside a dataset's own, which can be made anew at any time: what does not fit is not kept. */
export class BesideFiles {
  constructor(
    private readonly usage: DiskUsage,
    private readonly quota: number,
  ) {}

  async open(folder: string, name: string): Promise<BesideFile | undefined> {
    let handle: FileHandle
    try {
      handle = await open(join(folder, name))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
    const { size } = await handle.stat()
    await handle.utimes(new Date(), new Date()) // those that were not read for the longest time go first
    let at = 0
    return {
      size,
      async read(out) {
        await readAt(handle, out, at)
        at += out.length
      },
      close: () => handle.close(),
    }
  }

  async write(folder: string, name: string, parts: readonly Uint8Array[]): Promise<void> {
    const bytes = lengthOf(parts)
    const aside = join(folder, `.${name}-${process.pid}`)
    try {
      if (!(await this.#makeRoom(folder, bytes))) return
      const handle = await open(aside, 'w')
      try {
        for (const part of parts) {
          for (let at = 0; at < part.length; at += PIECE_BYTES)
            await handle.writeFile(part.subarray(at, at + PIECE_BYTES))
        }
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(aside, join(folder, name))
    } catch (error) {
      await rm(aside, { force: true }).catch(() => {})
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOSPC' && code !== 'EDQUOT' && !isMissing(error)) throw error
    }
  }

  /** Removes other such files, those first that were not read for the longest time. @returns whether there is room */
  async #makeRoom(folder: string, bytes: number): Promise<boolean> {
    const files = await Promise.all(
      (await readdir(folder)).map(async (name) => ({ name, facts: await stat(join(folder, name)) })),
    )
    const own = files.filter(({ name }) => OWN_FILES.includes(name))
    const others = files.filter(({ name }) => !OWN_FILES.includes(name))
    const sum = (some: typeof files) => some.reduce((total, { facts }) => total + facts.size, 0)
    const most = Math.max(FREE_BYTES, sum(own))
    if (bytes > most) return false
    others.sort((a, b) => a.facts.mtimeMs - b.facts.mtimeMs)
    while (sum(others) + bytes > most) await rm(join(folder, others.shift()!.name), { force: true })
    return (await this.usage.bytes()) + bytes <= this.quota
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
