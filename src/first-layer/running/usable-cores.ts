import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** File of Linux with a container's share of processor time: `quota period` in microseconds; `max`: no limit. */
const CGROUP_LIMIT = '/sys/fs/cgroup/cpu.max'

/** How many processors this process may use: those it is bound to, or fewer where its container has a limit. */
export function usableCores(read: (path: string) => string = (path) => readFileSync(path, 'utf8')): number {
  const cores = availableParallelism()
  let limit: string
  try {
    limit = read(CGROUP_LIMIT)
  } catch {
    return cores // no cgroup: no limit
  }
  const [quota, period] = limit.trim().split(' ').map(Number)
  if (!(quota > 0 && period > 0)) return cores
  return Math.max(1, Math.min(cores, Math.ceil(quota / period)))
}
