import { createHash, randomBytes } from 'node:crypto'
import { readlinkSync, unlinkSync } from 'node:fs'
import { readdir, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Where process ids mean something: folders may be shared by machines, and by containers on one. */
const MACHINE = createHash('sha256').update(hostname()).update(pidNamespace()).digest('hex').slice(0, 6)

const SUFFIX = new RegExp(`^${MACHINE}-(\\d+)-[\\da-f]{6}\\.part$`)

/** Names of this process's own, whether or not a file still has one. */
const begun: string[] = []

/** Whatever ends the process, but for a signal that no process hears. */
process.on('exit', () => {
  for (const path of begun) {
    try {
      unlinkSync(path)
    } catch {
      // whole by now, and under its own name
    }
  }
})

/** `/a/x.npy` → `/a/.x.npy.1f0e9c-4711-5b3d2a.part`: a name for what is not yet whole, removed when the process ends. */
export function beginPart(target: string): string {
  const suffix = `${MACHINE}-${process.pid}-${randomBytes(3).toString('hex')}.part`
  const path = join(dirname(target), prefixOf(target) + suffix)
  begun.push(path)
  return path
}

/** Removes what earlier runs for the same target left behind when they were killed. */
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

/** `pid:[4026531836]` on Linux. */
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
