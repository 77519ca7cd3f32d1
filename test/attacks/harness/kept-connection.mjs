import { performance } from 'node:perf_hooks'
import { AnswerReader, codeOf } from './answers.mjs'
import { openConnection } from './connections.mjs'

/**
 * A client that keeps its connection: one request at a time, a new connection where the last answer said
 * `Connection: close` or the service ended it between two requests.
 *
 * `ask(bytes)` gives { status, code, ms, problem, closes }; status 0 where the request was lost.
 */
export class KeptConnection {
  #port
  #socket
  #pending

  constructor(port) {
    this.#port = port
  }

  ask(bytes) {
    const started = performance.now()
    return new Promise((resolve) => {
      this.#pending = (answer, problem) => {
        this.#pending = undefined
        const closes = answer === undefined || /close/i.test(answer.headers.connection ?? '')
        if (closes) this.close()
        const ms = performance.now() - started
        resolve({ status: answer?.status ?? 0, code: answer && codeOf(answer), ms, problem, closes })
      }
      this.#connection().write(bytes)
    })
  }

  close() {
    this.#socket?.resetAndDestroy()
    this.#socket = undefined
  }

  #connection() {
    if (this.#socket !== undefined) return this.#socket
    const socket = openConnection(this.#port)
    this.#socket = socket
    const reader = new AnswerReader((answer) => this.#pending?.(answer, answer.cut ? 'cut' : undefined))
    socket.on('data', (chunk) => reader.feed(chunk))
    const gone = () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      socket.destroy()
      this.#pending?.(undefined, socket.problem ?? 'closed')
    }
    socket.on('end', gone).on('close', gone)
    return socket
  }
}
