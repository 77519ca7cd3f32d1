import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** How often a process renews the time of what it owns, and after how long without that another machine's process has ended. */
export const HEARTBEAT_MS = 30_000
const ENDED_MS = 10 * HEARTBEAT_MS

/** This process among all that may ever write to the same disk: the machine, the process, and when that began. */
export function processName(): string {
  return [machine(), process.pid, processStart(process.pid)].join('-')
}

/**
 * Whether a process has ended. Of one on this machine that is known; of another machine's it is taken from its last sign of
 * life.
 *
 * @param owner its {@link processName}
 * @param lastSign milliseconds since 1970
 */
export function hasEnded(owner: string, lastSign: number): boolean {
  const [, host, pid, start] = /^(.*)-(\d+)-(\d+)$/.exec(owner) ?? []
  if (host !== machine()) return Date.now() - lastSign > ENDED_MS
  return !lives(Number(pid)) || String(processStart(Number(pid))) !== start
}

function machine(): string {
  return hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** When a process began, in clock ticks since the machine's start; 0 where the system does not tell. */
function processStart(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]) // field 22; the name before it may have spaces
  } catch {
    return 0
  }
}
