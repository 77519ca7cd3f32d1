import { readdirSync, readFileSync } from 'node:fs'
import { processorSecondsOf } from '../../attacks/harness/process-state.mjs'

const LOOK_MS = 50

/** Processes that a process has started, and those that they have: `{ pid, parent, command }`. Linux. */
export function descendantsOf(root) {
  const all = readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0])
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ')
      return [{ pid: Number(name), parent, command }]
    } catch {
      return [] // no process, or one that has ended
    }
  })
  const known = new Set([root])
  for (let size = 0; size !== known.size; ) {
    size = known.size
    for (const { pid, parent } of all) if (known.has(parent)) known.add(pid)
  }
  return all.filter(({ pid }) => pid !== root && known.has(pid))
}

/**
 * Watches all processes below one: `seen(processes)` at each look, and at the end how many seconds of a core they took,
 * those of `inlet` and of the others. What a process does after the last look at it is missed.
 */
export function watchTree(root, seen = () => {}) {
  const taken = new Map()
  const look = () => {
    const processes = descendantsOf(root)
    for (const { pid, command } of [...processes, { pid: root, command: '' }]) {
      const seconds = processorSecondsOf(pid)
      if (seconds !== undefined) taken.set(pid, { seconds, isInlet: command.includes('/dist/cli/main.js') })
    }
    seen(processes)
  }
  const timer = setInterval(look, LOOK_MS)
  return () => {
    clearInterval(timer)
    const sums = { inlet: 0, engine: 0 }
    for (const { seconds, isInlet } of taken.values()) sums[isInlet ? 'inlet' : 'engine'] += seconds
    return sums
  }
}
