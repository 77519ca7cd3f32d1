import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Where Linux says how much of the processors a container may use: `quota period` in microseconds, or `max`. */
const CGROUP_LIMIT = '/sys/fs/cgroup/cpu.max'

/** The processors that this process may use: those it is bound to, or fewer where its container has a share. */
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
