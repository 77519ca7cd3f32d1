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
  const parts = [machine(), process.pid, processStart(process.pid) ?? 0, randomBytes(6).toString('hex')]
  return `${PREFIX}${parts.join('-')}`
}

export function isUploadFolder(name: string): boolean {
  return name.startsWith(PREFIX)
}

/**
 * Whether nobody writes this folder any more. Of a process on this machine that is known for sure; of another machine's it
 * is taken from the time of its last sign of life.
 */
export async function isAbandoned(name: string, path: string): Promise<boolean> {
  const [, host, pid, start] = /^\.upload-(.*)-(\d+)-(\d+)-[0-9a-f]+$/.exec(name) ?? []
  if (host === machine()) {
    const running = processStart(Number(pid))
    if (running !== undefined) return String(running) !== start
    if (hasProcFiles()) return true
  }
  const { mtimeMs } = await stat(path)
  return Date.now() - mtimeMs > ABANDONED_MS
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
