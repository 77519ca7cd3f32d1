import { readdirSync, readFileSync } from 'node:fs'

/** Sockets that a thread takes whatever the others hold: clients that come to it give way to one another. */
export const LEAST_WAITING = 2
/** Descriptors that a further thread takes: its event loop's and its copy of the listener (measured: 5), and these. */
const A_THREAD = 6 + LEAST_WAITING
/**
 * What a thread that serves takes besides while it starts: Node opens the files of its modules all at once (measured: 80
 * at the most), and a thread without one of them dies. All threads start at the same time.
 */
const MODULES = 84
/** Threads that do not serve: the one that makes tables, the one of the Rust library with the pipes of its process. */
const OTHER_THREADS = 2
/** For files that are read, the modules of a thread that does not serve, and a child process while it starts. */
const FILES = 32
/** Most connections of the operators' port: probes and scrapes, which never wait behind callers' connections. */
export const MAX_OPERATORS = 256
/** Of the sockets, so many may be connections; the others are handshakes and clients that are refused. */
const SHARE_OF_CONNECTIONS = 0.8
/** Sockets beside the connections where there are descriptors enough: a quarter more, at least so many. */
const SPARE = { share: 0.25, least: 64 }

/** The descriptors of files, sockets and pipes that a process may have, and has. */
export interface Descriptors {
  readonly limit: number
  readonly open: number
}

/** The variables that decide how many descriptors are needed. */
export interface DescriptorVariables {
  readonly MAX_CONNECTIONS: number
  readonly ADMIN_PORT?: number | undefined
}

/** How many sockets the process takes at once, all threads together. */
export interface SocketBounds {
  /** Callers' connections; below 1 where there are too few descriptors to serve. */
  readonly connections: number
  /** Callers' sockets: connections, handshakes, and clients that are being refused. */
  readonly sockets: number
  /** Connections of the operators' port. */
  readonly operators: number
}

/** This process's descriptors; undefined where the system has no /proc, or no limit. Node has raised the limit to the hard one. */
export function ownDescriptors(): Descriptors | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined
      ? undefined
      : { limit: Number(limit), open: readdirSync('/proc/self/fd').length }
  } catch {
    return undefined
  }
}

/**
 * The bounds under which the process never runs out of descriptors: `MAX_CONNECTIONS`, or fewer.
 *
 * @param threads number of threads that serve
 * @param own the process's descriptors before its threads and listeners are there
 */
export function socketBounds(
  { MAX_CONNECTIONS, ADMIN_PORT }: DescriptorVariables,
  threads: number,
  own: Descriptors | undefined,
): SocketBounds {
  const { limit, open } = own ?? { limit: Number.POSITIVE_INFINITY, open: 0 }
  const taken = (A_THREAD + MODULES) * (threads - 1) + A_THREAD * OTHER_THREADS + FILES
  const room = limit - open - taken
  const operators = ADMIN_PORT === undefined ? 0 : Math.min(MAX_OPERATORS, Math.floor(room / 8))
  const most = room - operators
  const connections = Math.min(MAX_CONNECTIONS, Math.floor(most * SHARE_OF_CONNECTIONS))
  const spare = Math.max(SPARE.least, Math.ceil(SPARE.share * connections))
  return { connections, sockets: Math.min(connections + spare, Math.floor(most)), operators }
}
