import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { type InletError, overloaded } from '../answer/error-table.js'
import { openRequestsOn } from '../answer/request-end.js'
import { CONNECTIONS, type Load } from '../request/load.js'
import { endWith } from './client-errors.js'

/** Sweep interval during shutdown; also a new connection's grace, ms. */
const SWEEP_MS = 50

/** The event by which a server tells a connection as its requests know it. */
export function connectionEvent(server: FastifyInstance['server']): 'secureConnection' | 'connection' {
  return server instanceof TlsServer ? 'secureConnection' : 'connection'
}

export class Connections {
  readonly #open = new Set<Socket>()

  constructor(server: FastifyInstance['server']) {
    server.on(connectionEvent(server), (socket: Socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  get openRequests(): number {
    let sum = 0
    for (const socket of this.#open) sum += openRequestsOn(socket)
    return sum
  }

  /**
   * Lets running requests finish, and closes each connection without one: idle connections, and those that
   * have sent no complete head. Settles when no connection is left.
   * @param look called with the number of running requests after each count
   */
  async end(look: (openRequests: number) => void = () => {}): Promise<void> {
    do {
      look(this.openRequests)
      await delay(SWEEP_MS)
      for (const socket of this.#open) if (openRequestsOn(socket) === 0) socket.destroySoon()
    } while (this.#open.size > 0)
    look(0)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered beyond the limit of connections too: an orchestrator would restart a service that is only busy. */
    isProbe?: boolean
  }
  interface FastifyInstance {
    readonly connections: Connections
    readonly operators?: FastifyInstance
  }
}

/** How long a client beyond the limit may take to ask; then it is refused without a request. */
const LINGER_MS = 500

/**
 * Bounds the connections. Beyond the limit a request is answered with 503 `overloaded`, unless it is for a
 * health route, and its connection is closed. The service also closes a connection whose client takes no byte
 * of its answer for too long. A connection may be silent while the service works on its request.
 * @param limits `maxConnections`: open connections of all threads together; undefined: not bounded here
 */
export function addConnectionLimits(
  app: FastifyInstance,
  load: Load,
  limits: { readonly maxConnections: number | undefined; readonly writeStallSeconds: number },
  watcher: { refused(reason: 'connections' | 'write_stall'): void; answered(error: InletError): void },
): void {
  const { server } = app
  const { maxConnections, writeStallSeconds } = limits
  const beyond = new WeakSet<Socket>()
  const tooMany = overloaded(`There are ${maxConnections} connections, as many as MAX_CONNECTIONS allows.`, {
    connection: 'close',
  })
  server.on(connectionEvent(server), (socket: Socket) => {
    if (maxConnections === undefined) return
    if (load.count(CONNECTIONS, 1) <= maxConnections) {
      socket.once('close', () => load.count(CONNECTIONS, -1))
      return
    }
    load.count(CONNECTIONS, -1)
    beyond.add(socket)
    const late = setTimeout(() => {
      if (openRequestsOn(socket) > 0) return // its answer is the last one here
      watcher.refused('connections')
      watcher.answered(tooMany)
      endWith(socket, tooMany)
    }, LINGER_MS)
    late.unref()
    socket.once('close', () => clearTimeout(late))
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (!beyond.has(request.raw.socket)) return done()
    reply.header('connection', 'close')
    if (request.routeOptions.config?.isProbe) return done()
    watcher.refused('connections')
    done(tooMany)
  })
  server.setTimeout(1000 * writeStallSeconds)
  server.on('timeout', (socket: Socket) => {
    const isIdle = openRequestsOn(socket) === 0 // kept alive for long enough
    if (!isIdle && socket.writableLength === 0) {
      socket.setTimeout(1000 * writeStallSeconds) // at work, or waiting for the body
      return
    }
    if (!isIdle) watcher.refused('write_stall')
    socket.destroy()
  })
}
