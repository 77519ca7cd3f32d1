import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { InletError } from '../../errors.js'
import type { Ledger } from '../../load/ledger.js'
import { overloaded } from '../../load/refusals.js'
import { openOn } from '../lifetime/request-end.js'
import { endWith } from './client-errors.js'
import { isFromOperators } from './operators.js'

/** How long a refused client may take to close its side. */
const LINGER_MS = 500

export interface ConnectionLimits {
  /** Open connections of all threads together. */
  readonly maxConnections: number
  /** How long a client may take no byte of an answer that waits for it. */
  readonly writeStallSeconds: number
}

/** Called for connections that the service closes. */
export interface ConnectionWatcher {
  refused(reason: 'connections' | 'write_stall'): void
  answered(error: InletError): void
}

/**
 * Bounds the connections. The service answers those beyond the limit with 503 `overloaded` and closes them, and
 * closes a connection whose client takes no byte of its answer for too long. A connection may be silent while
 * the service works on its request.
 */
export function addConnectionLimits(
  app: FastifyInstance,
  ledger: Ledger,
  { maxConnections, writeStallSeconds }: ConnectionLimits,
  watcher: ConnectionWatcher,
): void {
  const { server } = app
  server.on('connection', (socket: Socket) => {
    if (isFromOperators(socket)) return // their port has a bound of its own
    if (ledger.countConnection(1) < maxConnections) {
      socket.once('close', () => ledger.countConnection(-1))
      return
    }
    ledger.countConnection(-1)
    watcher.refused('connections')
    const error = overloaded(`There are ${maxConnections} connections, as many as MAX_CONNECTIONS allows.`)
    socket.resume() // bytes left unread would reset the connection, and the answer with it
    endWith(socket, error)
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
    watcher.answered(error)
  })
  server.setTimeout(1000 * writeStallSeconds)
  server.on('timeout', (socket: Socket) => {
    const isIdle = openOn(socket).size === 0 // kept alive for long enough
    if (!isIdle && socket.writableLength === 0) {
      socket.setTimeout(1000 * writeStallSeconds) // at work, or waiting for the body
      return
    }
    if (!isIdle) watcher.refused('write_stall')
    socket.destroy()
  })
}
