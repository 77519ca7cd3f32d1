import type { Server, Socket } from 'node:net'
import { LEAST_WAITING } from '../../load/descriptors.js'
import type { Ledger } from '../../load/ledger.js'

/**
 * Bounds the sockets of callers in all threads: connections, handshakes, and clients that are being refused. Where there
 * are too many, the one that waits longest without being a connection is closed: a client that sends nothing gives
 * way to the next one.
 */
export class Sockets {
  /** Sockets of this thread that are no connections (yet), the oldest first. */
  readonly #waiting = new Set<Socket>()

  constructor(private readonly ledger: Pick<Ledger, 'countSocket' | 'hasTooManySockets'>) {}

  /** Counts the sockets of a listener, as they are accepted. */
  watch(listener: Server): void {
    // Before the application sees it, which may keep it.
    listener.prependListener('connection', (socket: Socket) => {
      this.ledger.countSocket(1)
      this.#waiting.add(socket)
      socket.once('close', () => {
        this.ledger.countSocket(-1)
        this.#waiting.delete(socket)
      })
      if (!this.ledger.hasTooManySockets || this.#waiting.size <= LEAST_WAITING) return
      const [oldest] = this.#waiting
      oldest.destroy()
      this.#waiting.delete(oldest) // it closes after this turn, and others may come in it
    })
  }

  /** A socket is a connection: it gives way to no other. */
  keep(socket: Socket): void {
    this.#waiting.delete(acceptedOf(socket))
  }
}

/** `_parent` is Node's own field: the socket that a TLS socket reads from. */
function acceptedOf(socket: Socket & { readonly _parent?: Socket | null }): Socket {
  return socket._parent ?? socket
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Callers' sockets, in all threads. */
    readonly sockets: Sockets
  }
}
