import { readdirSync, readFileSync } from 'node:fs'

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

/**
 * The share of the cores that the threads of a process have had: `{ ranMs, waitedMs, turns }`; `waitedMs`: in which they could run
 * and others ran, `turns`: how often they were given a core. NaN where the kernel does not say.
 */
export function coresOf(pid) {
  const sum = { ranMs: 0, waitedMs: 0, turns: 0 }
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1')
      const [ran, waited, turns] = stat.split(' ').map(Number)
      sum.ranMs += ran / 1e6
      sum.waitedMs += waited / 1e6
      sum.turns += turns
    }
  } catch {} // it has ended, or another system
  return sum
}
