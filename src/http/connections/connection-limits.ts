import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { InletError } from '../../errors.js'
import type { Ledger } from '../../load/ledger.js'
import { overloaded } from '../../load/refusals.js'
import { openOn } from '../lifetime/request-end.js'
import { endWith } from './client-errors.js'

/** How long a refused client may take to close its side. */
const LINGER_MS = 500

export interface ConnectionLimits {
  /** Of all threads together. */
  readonly maxConnections: number
  /** How long a reader may take no byte of what waits for it. */
  readonly writeStallSeconds: number
}

/** What is told of connections that are closed from this side. */
export interface ConnectionWatcher {
  refused(reason: 'connections' | 'write_stall'): void
  answered(error: InletError): void
}

/**
 * Bounds the connections: those beyond the limit are answered 503 `overloaded` and closed, and a reader that takes no
 * byte of its answer for too long loses it. A connection whose request is still worked on may be silent.
 */
export function addConnectionLimits(
  app: FastifyInstance,
  ledger: Ledger,
  { maxConnections, writeStallSeconds }: ConnectionLimits,
  watcher: ConnectionWatcher,
): void {
  const { server } = app
  server.on('connection', (socket: Socket) => {
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
