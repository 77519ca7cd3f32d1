import { type ResourceLimits, Worker } from 'node:worker_threads'
import { Calls } from './calls.js'
import type { Order, Report, WorkerData } from './messages.js'

export interface ThreadOptions {
  readonly script: URL
  readonly resourceLimits?: ResourceLimits
}

export interface ThreadEvents {
  /** Called with each report that answers no order. */
  report(report: Report): void
  /** Called when the thread has ended. */
  ended(cause: Error): void
}

/** A thread's acknowledgement of a change of the models. */
export interface Ack {
  readonly taken: Promise<void>
  readonly drained: Promise<void>
}

/** One of the process's other threads, for use in the first one. */
export class Thread {
  readonly #worker: Worker
  /** Opened in pairs, so that both have the same numbers. */
  readonly #taken = new Calls<void>()
  readonly #drained = new Calls<void>()
  #metrics: Promise<object[]> | undefined

  constructor({ script, resourceLimits }: ThreadOptions, workerData: WorkerData, events: ThreadEvents) {
    this.#worker = new Worker(script, { workerData, resourceLimits })
    let cause: Error | undefined
    this.#worker.on('error', (error: Error) => {
      cause = error
    })
    this.#worker.on('exit', (code) => {
      events.ended(cause ?? new Error(`It ended with ${code}.`))
    })
    this.#worker.on('message', (report: Report) => {
      if (report.type === 'taken') this.#taken.resolve(report.id)
      else if (report.type === 'drained') this.#drained.resolve(report.id)
      else events.report(report)
    })
  }

  send(order: Order): void {
    this.#worker.postMessage(order)
  }

  /** Sends a change of the models, which the thread answers by `taken` and `drained`. */
  tell(order: (id: number) => Order): Ack {
    const { id, answer: taken } = this.#taken.open()
    const { answer: drained } = this.#drained.open()
    this.send(order(id))
    return { taken, drained }
  }

  /** This thread's metrics. Scrapes share an answer, so that a thread that hangs gathers no orders. */
  metrics(): Promise<object[]> {
    this.#metrics ??= this.order({ type: 'collect' }, 'collected').then((report) => {
      this.#metrics = undefined
      return report.metrics
    })
    return this.#metrics
  }

  /** Sends an order and waits for the report that answers it. */
  order<Type extends Report['type']>(order: Order, answer: Type): Promise<Extract<Report, { type: Type }>> {
    return new Promise((resolve) => {
      const onReport = (report: Report) => {
        if (report.type !== answer) return
        this.#worker.off('message', onReport)
        resolve(report as Extract<Report, { type: Type }>)
      }
      this.#worker.on('message', onReport)
      this.send(order)
    })
  }
}
