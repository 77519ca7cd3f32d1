import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { hostname } from 'node:os'

/** Unfinished uploads stand beside the datasets under names that no dataset has. */
const PREFIX = '.upload-'

/** How often a folder's time is renewed while its upload goes on, and after how long without that it is abandoned. */
export const HEARTBEAT_MS = 30_000
const ABANDONED_MS = 10 * HEARTBEAT_MS

/** A new name that tells which process writes the folder: the machine, the process, and when that began. */
export function uploadFolderName(): string {
  return `${PREFIX}${processName()}-${randomBytes(6).toString('hex')}`
}

/** This process among all that may ever write to the same disk: the machine, the process, and when that began. */
export function processName(): string {
  return [machine(), process.pid, processStart(process.pid) ?? 0].join('-')
}

export function isUploadFolder(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Whether nobody writes this folder any more. */
export async function isAbandoned(name: string, path: string): Promise<boolean> {
  return hasEnded(uploadOwner(name), (await stat(path)).mtimeMs)
}

/** The {@link processName} of the process that made a folder under such a name. */
export function uploadOwner(name: string): string {
  return /^\.upload-(.*)-[0-9a-f]+$/.exec(name)?.[1] ?? ''
}

/**
 * Whether a process has ended. Of one on this machine that is known for sure; of another machine's it is taken from the time
 * of its last sign of life.
 *
 * @param owner its {@link processName}
 * @param lastSign milliseconds since 1970
 */
export function hasEnded(owner: string, lastSign: number): boolean {
  const [, host, pid, start] = /^(.*)-(\d+)-(\d+)$/.exec(owner) ?? []
  if (host === machine()) {
    const running = processStart(Number(pid))
    if (running !== undefined) return String(running) !== start
    if (hasProcFiles()) return true
  }
  return Date.now() - lastSign > ABANDONED_MS
}

function machine(): string {
  return hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
}

function hasProcFiles(): boolean {
  return processStart(process.pid) !== undefined
}

/** When a process began, in clock ticks since the machine's start; undefined where there is no such process, or no /proc. */
function processStart(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]) // field 22; the name before it may have spaces
  } catch {
    return undefined
  }
}
