import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { Order, Report, WorkerData } from './messages.js'

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
export interface Ack {
  readonly taken: Promise<void>
  readonly drained: Promise<void>
}

interface PendingAck {
  taken(): void
  drained(): void
}

/** One of the process's other threads, for use in the first one. */
export class Thread {
  readonly #worker: Worker
  readonly #acks = new Map<number, PendingAck>()
  #nextAck = 1

  constructor({ script, resourceLimits }: ThreadOptions, workerData: WorkerData, events: ThreadEvents) {
    const transferList = workerData.foreignPort === undefined ? [] : [workerData.foreignPort]
    this.#worker = new Worker(script, { workerData, resourceLimits, transferList })
    let cause: unknown
    this.#worker.on('error', (error) => {
      cause = error
    })
    this.#worker.on('exit', (code) => {
      for (const { taken, drained } of this.#acks.values()) {
        taken()
        drained()
      }
      events.ended(cause ?? new Error(`It ended with ${code}.`))
    })
    this.#worker.on('message', (report: Report) => {
      if (report.type === 'taken') this.#acks.get(report.id)?.taken()
      else if (report.type === 'drained') {
        this.#acks.get(report.id)?.drained()
        this.#acks.delete(report.id)
      } else events.report(report)
    })
  }

  send(order: Order): void {
    this.#worker.postMessage(order)
  }

  /** Sends an order that is answered by `taken` and `drained`. */
  tell(order: (id: number) => Order): Ack {
    const id = this.#nextAck++
    let ack: PendingAck = { taken() {}, drained() {} }
    const taken = new Promise<void>((resolve) => {
      ack = { ...ack, taken: resolve }
    })
    const drained = new Promise<void>((resolve) => {
      ack = { ...ack, drained: resolve }
    })
    this.#acks.set(id, ack)
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
