import { Server as NetServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as turnOver } from 'node:timers/promises'
import { openRequestsOn } from '../lifetime/request-end.js'
import type { AnsweringSocket } from './client-errors.js'
import { makeLast } from './last-answers.js'

/** How often idle connections are closed after the listener; a new one has so long to send a head. */
const SWEEP_MS = 50
/** The most turns of the event loop in which the listener's queue is emptied before the listener closes. */
const MAX_TURNS = 100

/** The connections that a server has taken, so that they can be ended when the service stops. */
export class Connections {
  readonly #open = new Set<Socket>()

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
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

  /** Adds `Connection: close` to all answers whose heads are not written yet. */
  makeLast(): void {
    for (const { _httpMessage: answer } of this.#open as Set<AnsweringSocket>) {
      if (answer?.headersSent === false) makeLast(answer)
    }
  }

  /**
   * Closes the listeners, once no connection waits in their queues. Uses the `close` of `net.Server`: that of
   * `http.Server` would also stop the timer that ends late heads and bodies.
   *
   * @param listeners what connections come from. Default: the server itself
   */
  async closeListener(listeners: readonly NetServer[] = [this.server]): Promise<void> {
    let come = true
    const note = () => {
      come = true
    }
    this.server.on('connection', note)
    for (let turns = 0; come && turns < MAX_TURNS; turns++) {
      come = false
      await turnOver() // to the end of this turn
      await turnOver() // and one whole turn, which takes at least one connection where one waits
    }
    this.server.off('connection', note)
    for (const listener of listeners) NetServer.prototype.close.call(listener)
  }

  /**
   * Lets running requests finish, and closes each connection without one: idle connections, and those that have
   * sent no complete head. Settles when no connection is left.
   *
   * @param look called with the number of running requests after each count
   */
  async end(look: (openRequests: number) => void): Promise<void> {
    do {
      look(this.openRequests)
      await delay(SWEEP_MS)
      for (const socket of this.#open) if (openRequestsOn(socket) === 0) socket.destroySoon()
    } while (this.#open.size > 0)
    look(0)
  }
}
