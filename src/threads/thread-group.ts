import { Worker } from 'node:worker_threads'
import type { Config } from '../config.js'
import type { SharedModel } from '../embeddings/model.js'
import { packageFile } from '../package-file.js'
import type { Birth, Order, Report } from './messages.js'

/** One thread's metrics, as the registry gives them to be added up. */
export type CollectMetrics = () => Promise<object[]>

/**
 * The process's other threads: each an event loop that accepts from the same listening socket and serves whole
 * requests on the same tables. The first thread starts them, hands them the tables and adds up their metrics.
 */
export class ThreadGroup {
  readonly #workers: readonly Worker[]
  readonly #collecting = new Map<number, (metrics: object[]) => void>()
  #nextId = 0
  #stopping = false

  /**
   * @param others threads besides the first; none is right too
   * @param died called when a thread ends without having been told to
   */
  constructor(
    others: number,
    config: Config,
    listenFd: number,
    private readonly collectOwn: CollectMetrics,
    died: (thread: number, error: unknown) => void,
  ) {
    this.#workers = Array.from({ length: others }, (_, i) => {
      const birth: Birth = { config, thread: i + 1, listenFd }
      const worker = new Worker(packageFile('dist/worker.js'), { workerData: birth })
      let cause: unknown
      worker.on('error', (error) => {
        cause = error
      })
      worker.on('exit', () => {
        if (!this.#stopping) died(birth.thread, cause)
      })
      worker.on('message', (report: Report) => this.#take(worker, report))
      return worker
    })
  }

  /** Hands over the model; settles when every thread accepts connections. */
  async serve(model: SharedModel): Promise<void> {
    await Promise.all(this.#workers.map((worker) => this.#order(worker, { type: 'serve', model }, 'serving')))
  }

  /** Settles when every thread has finished what it runs. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#workers.map((worker) => this.#order(worker, { type: 'stop' }, 'stopped')))
  }

  /** The metrics of each thread, the first one's first. */
  async collect(): Promise<object[][]> {
    const others = this.#workers.map((worker) => {
      const id = this.#nextId++
      return new Promise<object[]>((resolve) => {
        this.#collecting.set(id, resolve)
        worker.postMessage({ type: 'collect', id } satisfies Order)
      })
    })
    return Promise.all([this.collectOwn(), ...others])
  }

  #order(worker: Worker, order: Order, answer: Report['type']): Promise<void> {
    return new Promise((resolve) => {
      worker.once('exit', () => resolve()) // then it does nothing any more
      worker.on('message', function listen(report: Report) {
        if (report.type !== answer) return
        worker.off('message', listen)
        resolve()
      })
      worker.postMessage(order)
    })
  }

  #take(worker: Worker, report: Report): void {
    if (report.type === 'collected') {
      this.#collecting.get(report.id)?.(report.metrics)
      this.#collecting.delete(report.id)
    } else if (report.type === 'scrape') {
      const { id } = report
      this.collect().then((metrics) => worker.postMessage({ type: 'scraped', id, metrics } satisfies Order))
    }
  }
}
