import { readFileSync } from 'node:fs'

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const TICKS = 100

/** Resident bytes of a process, now and at most: `{ rss, peak }`; undefined where it has ended. */
export function memoryOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const bytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
    const rss = bytes('VmRSS')
    return Number.isNaN(rss) ? undefined : { rss, peak: bytes('VmHWM') }
  } catch {
    return undefined
  }
}

/** Seconds of processor time that a process has taken; undefined where it has ended. */
export function processorSecondsOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return undefined
  }
}

/** Seconds since the start in which somebody on this machine waited for a core; NaN where the kernel does not say. */
export function pressureSeconds() {
  try {
    return Number(/^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'latin1'))[1]) / 1e6
  } catch {
    return Number.NaN
  }
}
