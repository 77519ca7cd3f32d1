import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { Birth, Order, Report } from './messages.js'

/** Options of a new thread. */
export interface ThreadOptions {
  readonly script: URL
  readonly resourceLimits?: ResourceLimits
}

/** Called with events of a thread. */
export interface ThreadEvents {
  report(report: Report): void
  /** The thread has ended. @param cause an error */
  ended(cause: unknown): void
}

/** A thread's answers to a change of the models. Both settle too when it ends: it then reads no tables. */
export interface Told {
  readonly taken: Promise<void>
  readonly drained: Promise<void>
}

interface Telling {
  taken(): void
  drained(): void
}

/** One of the process's other threads, for use in the first one. */
export class Thread {
  readonly #worker: Worker
  readonly #tellings = new Map<number, Telling>()
  #nextTelling = 1

  constructor({ script, resourceLimits }: ThreadOptions, birth: Birth, events: ThreadEvents) {
    const transferList = birth.foreignPort === undefined ? [] : [birth.foreignPort]
    this.#worker = new Worker(script, { workerData: birth, resourceLimits, transferList })
    let cause: unknown
    this.#worker.on('error', (error) => {
      cause = error
    })
    this.#worker.on('exit', (code) => {
      for (const { taken, drained } of this.#tellings.values()) {
        taken()
        drained()
      }
      events.ended(cause ?? new Error(`It ended with ${code}.`))
    })
    this.#worker.on('message', (report: Report) => {
      if (report.type === 'taken') this.#tellings.get(report.id)?.taken()
      else if (report.type === 'drained') {
        this.#tellings.get(report.id)?.drained()
        this.#tellings.delete(report.id)
      } else events.report(report)
    })
  }

  send(order: Order): void {
    this.#worker.postMessage(order)
  }

  /** Sends an order that is answered by `taken` and `drained`. */
  tell(order: (id: number) => Order): Told {
    const id = this.#nextTelling++
    let telling: Telling = { taken() {}, drained() {} }
    const taken = new Promise<void>((resolve) => {
      telling = { ...telling, taken: resolve }
    })
    const drained = new Promise<void>((resolve) => {
      telling = { ...telling, drained: resolve }
    })
    this.#tellings.set(id, telling)
    this.send(order(id))
    return { taken, drained }
  }

  /** Sends an order and waits for its answer. @returns false where the thread ended without an answer */
  order(order: Order, answer: Report['type']): Promise<boolean> {
    return new Promise((resolve) => {
      const onExit = () => resolve(false)
      const onReport = (report: Report) => {
        if (report.type !== answer) return
        this.#worker.off('message', onReport).off('exit', onExit)
        resolve(true)
      }
      this.#worker.on('message', onReport).once('exit', onExit)
      this.send(order)
    })
  }
}
