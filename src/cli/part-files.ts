import { createHash, randomBytes } from 'node:crypto'
import { readlinkSync, unlinkSync } from 'node:fs'
import { readdir, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Identifies the set of processes that a process id belongs to: machines and containers may share a folder. */
const MACHINE = createHash('sha256').update(hostname()).update(pidNamespace()).digest('hex').slice(0, 6)

const SUFFIX = new RegExp(`^${MACHINE}-(\\d+)-[\\da-f]{6}\\.part$`)

/** All temporary names that this process has made, also those whose files are renamed or removed. */
const begun: string[] = []

/** Removes the files at the end of the process. A signal that cannot be handled (SIGKILL) leaves them. */
process.on('exit', () => {
  for (const path of begun) {
    try {
      unlinkSync(path)
    } catch {
      // the file was completed and renamed, or removed
    }
  }
})

/**
 * Name of an incomplete file: `/a/x.npy` → `/a/.x.npy.1f0e9c-4711-5b3d2a.part`. The process removes it at its
 * end.
 */
export function beginPart(target: string): string {
  const suffix = `${MACHINE}-${process.pid}-${randomBytes(3).toString('hex')}.part`
  const path = join(dirname(target), prefixOf(target) + suffix)
  begun.push(path)
  return path
}

/** Removes incomplete files of the same target whose processes were killed. */
export async function removeStaleParts(target: string): Promise<void> {
  const folder = dirname(target)
  const prefix = prefixOf(target)
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = name.startsWith(prefix) && SUFFIX.exec(name.slice(prefix.length))?.[1]
    if (pid && !runs(Number(pid))) await unlink(join(folder, name)).catch(() => {})
  }
}

function prefixOf(target: string): string {
  return `.${basename(target)}.`
}

/** The name of this process's pid namespace, `pid:[4026531836]` on Linux; empty elsewhere. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
