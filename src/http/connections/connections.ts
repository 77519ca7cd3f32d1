import { Server as NetServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as turnOver } from 'node:timers/promises'
import { openRequestsOn } from '../lifetime/request-end.js'
import type { AnsweringSocket } from './client-errors.js'
import { makeLast } from './last-answers.js'

/** After the listener has closed: what was just taken has this long to send a head, and then what has ended goes. */
const SWEEP_MS = 50
/** Turns of the event loop in which new connections may still come out of the listener's queue. */
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

  /** Lets the answers that are being made say `Connection: close`, as far as their heads are not written yet. */
  makeLast(): void {
    for (const { _httpMessage: answer } of this.#open as Set<AnsweringSocket>) {
      if (answer?.headersSent === false) makeLast(answer)
    }
  }

  /**
   * Closes the listener, once nobody waits in its queue any more. The clock that ends late heads and bodies runs on:
   * `http.Server.close` would stop it.
   */
  async closeListener(): Promise<void> {
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
    NetServer.prototype.close.call(this.server)
  }

  /**
   * Lets what runs finish, and closes each connection on which nothing does: idle ones, and those that have sent no
   * complete head. Settles when none is left.
   *
   * @param look called with the number of requests that still run, whenever they were counted
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
