import { readFileSync } from 'node:fs'
import type { Config } from './config.js'

/** Most connections of the operators' port: probes and scrapes. */
export const MAX_OPERATORS = 64
/** Descriptors that a further thread takes while it starts: Node opens the files of its modules all at once. Measured: 85. */
const A_THREAD = 90
/** For files that are read, threads that do not serve, and a child process. */
const FILES = 64

/** This process's limit of file descriptors. Infinity where the system has no /proc, or no limit. */
export function descriptorLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

/** The most connections of each of `threads`, beside which files and threads find descriptors; below 1 where there are too few. */
export function connectionsOfThread(
  { ADMIN_PORT }: Pick<Config, 'ADMIN_PORT'>,
  threads: number,
  limit: number,
): number {
  const operators = ADMIN_PORT === undefined ? 0 : MAX_OPERATORS
  return Math.floor((limit - FILES - operators - A_THREAD * (threads - 1)) / threads)
}
