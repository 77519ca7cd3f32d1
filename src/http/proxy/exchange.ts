import type { ClientRequest, IncomingMessage } from 'node:http'
import { isTurnOver, nextTurn } from '../../turn.js'
import { Writes } from '../lifetime/writes.js'
import { IdleTimeout } from './idle-timeout.js'
import { asUpstreamError, upstreamFailed, upstreamTimeout } from './upstream-errors.js'
import { withStart } from './with-start.js'

/** How long a connection may take to be made, in milliseconds. */
const CONNECT_MS = 10_000

/** One request to the upstream and its answer. */
export class Exchange {
  /** Bytes of the body that the upstream has taken. */
  sent = 0
  /** The answer's head. @throws InletError `upstream_failed`, `upstream_timeout` (the promise rejects) */
  readonly answer: Promise<IncomingMessage>
  readonly idleTimeout: IdleTimeout
  /** Settles when the whole body has been written; not at all where that does not come to be. */
  readonly whole: Promise<void>
  readonly #closed: Promise<void>
  #isWhole = () => {}
  #hasAnswered = false
  #wasReset = false
  #bytesReadBefore = 0

  constructor(
    private readonly request: ClientRequest,
    silentSeconds: number,
  ) {
    this.idleTimeout = new IdleTimeout(1000 * silentSeconds, () =>
      this.end(upstreamTimeout('was silent', silentSeconds)),
    )
    this.whole = new Promise((resolve) => {
      this.#isWhole = resolve
    })
    this.#closed = new Promise((resolve) => request.once('close', resolve))
    this.answer = new Promise((resolve, reject) => {
      request.once('response', (answer) => {
        const { statusCode = 0 } = answer
        this.#hasAnswered = statusCode >= 200 && statusCode <= 599
        if (this.#hasAnswered) resolve(answer)
        else this.end(upstreamFailed(`its status is ${statusCode}`))
      })
      request.once('upgrade', (_, socket) => {
        socket.destroy()
        reject(upstreamFailed('it changed the protocol'))
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        this.#wasReset ||= error.code === 'ECONNRESET' || error.code === 'EPIPE'
        reject(asUpstreamError(error))
      })
      void this.#closed.then(() => {
        if (!this.#hasAnswered) reject(upstreamFailed('it closed the connection'))
      })
    })
    this.answer.catch(() => {}) // its reader gets the error
    this.#boundConnecting()
  }

  /**
   * Whether the upstream closed a kept connection while this request was on its way: no byte has come back, and the
   * request can go once more.
   */
  get hitClosedConnection(): boolean {
    const { reusedSocket, socket } = this.request
    return this.#wasReset && reusedSocket && socket?.bytesRead === this.#bytesReadBefore
  }

  /** Writes the body as fast as the upstream takes it. An upstream that stops taking it shows in {@link answer}. */
  async send(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { request } = this
    const writes = new Writes(request)
    void this.#closed.then(() => writes.end())
    for await (const blocks of withStart(pieces)) {
      if (!(await writes.allTaken(blocks))) return
      for (const { byteLength } of blocks) this.sent += byteLength
      this.idleTimeout.restart()
      if (isTurnOver()) await nextTurn()
    }
    request.end()
    this.#isWhole()
  }

  /** Ends the exchange, at whatever point it is; the upstream sees that its answer is not wanted. */
  end(error?: Error): void {
    this.idleTimeout.end()
    this.request.destroy(error)
  }

  #boundConnecting(): void {
    const { request } = this
    request.once('socket', (socket) => {
      this.#bytesReadBefore = socket.bytesRead
      if (!socket.connecting) return
      const late = setTimeout(
        () => this.end(upstreamTimeout('cannot be reached', CONNECT_MS / 1000)),
        CONNECT_MS,
      )
      const forget = () => clearTimeout(late)
      socket.once('connect', forget).once('close', forget)
    })
  }
}
