import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { openRequestsOn } from '../../request/request-end.js'

/** How often idle connections are closed after the listener; a new one has so long to send a head. */
const SWEEP_MS = 50

/** The event by which a server tells a connection as its requests know it. */
export function connectionEvent(server: FastifyInstance['server']): 'secureConnection' | 'connection' {
  return server instanceof TlsServer ? 'secureConnection' : 'connection'
}

/** The connections that a server has taken, so that they can be ended when the service stops. */
export class Connections {
  readonly #open = new Set<Socket>()

  constructor(server: FastifyInstance['server']) {
    server.on(connectionEvent(server), (socket: Socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  /** Requests that are being answered. */
  get openRequests(): number {
    let sum = 0
    for (const socket of this.#open) sum += openRequestsOn(socket)
    return sum
  }

  /**
   * Lets running requests finish, and closes each connection without one: idle connections, and those that have
   * sent no complete head. Settles when no connection is left.
   *
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
  interface FastifyInstance {
    /** The open connections. */
    readonly connections: Connections
    /** The application of the operators' port, if there is one. */
    readonly operators?: FastifyInstance
  }
}
