import type { Server } from 'node:net'
import type { DatasetAdmin } from '../../features/datasets/admin.js'
import type { LearningAdmin } from '../../features/learning/admin.js'
import type { SelectedBackend } from '../../first-layer/embeddings/backends/select.js'
import { packageFile } from '../../first-layer/package-file.js'
import type { TokenizerLibrary } from '../../first-layer/tokens/rust/rust-library.js'
import type { ModelAdmin } from '../models/admin.js'
import type { ModelEntry } from '../models/entry.js'
import type { Certificate } from '../process/listening/certificate.js'
import type { ApiKey } from '../request/callers/api-keys.js'
import type { Order, Report, Scrape, WorkerData } from './messages.js'
import { sent } from './sent-errors.js'
import { type Ack, Thread, type ThreadOptions } from './thread.js'
import { ThreadMetrics } from './thread-metrics.js'

/** The first thread's part in the group of the other threads. */
export interface Group {
  /** Number of threads besides the first; it may be 0. */
  readonly others: number
  /** The listening socket that all threads accept from. */
  readonly server: Server
  /** Gives the data that a thread is started with. */
  workerData(thread: number): WorkerData
  /** The first thread's own metrics. */
  metrics(): Promise<object[]>
  /** Every model, as it is now. */
  models(): readonly ModelEntry[]
  /** Carry out the threads' calls. */
  readonly admins: {
    readonly models: ModelAdmin
    readonly datasets: DatasetAdmin | undefined
    readonly learning: LearningAdmin
    readonly tokenizers: TokenizerLibrary
  }
  /** Called with the ids of models that a thread has used. */
  used(models: readonly string[]): void
  /** Called when a thread has ended that was not told to stop. */
  died(thread: number, cause: Error): void
  /** Default: the service's own. */
  readonly options?: ThreadOptions
}

/**
 * The process's threads besides the first: each has its own event loop, accepts from the same listening socket and
 * serves whole requests on the same tables. The first thread starts them, passes them the tables and adds up their
 * metrics.
 */
export class ThreadGroup {
  /** The threads from number 1 on. */
  readonly #threads: readonly Thread[]
  readonly #metrics: ThreadMetrics
  #isStopping = false

  constructor(private readonly group: Group) {
    this.#metrics = new ThreadMetrics(group.others + 1)
    this.#threads = Array.from({ length: group.others }, (_, i) => this.#started(i + 1))
  }

  /** Sends the models to all threads; settles when every thread accepts connections. */
  async serve(backend: SelectedBackend): Promise<void> {
    const order = { type: 'serve', models: this.group.models(), backend } as const
    const listener = descriptorOf(this.group.server)
    await Promise.all(this.#threads.map((thread) => thread.order({ ...order, listener }, 'serving')))
  }

  /** Sends all threads a change of the models; a later thread gets all models when it begins to serve. */
  tell(order: (id: number) => Order): Ack[] {
    return this.#threads.map((thread) => thread.tell(order))
  }

  /** Sends all threads the users' keys that are valid from now on. */
  changeKeys(keys: readonly ApiKey[]): void {
    for (const thread of this.#threads) thread.send({ type: 'keys', keys })
  }

  /** Gives all threads the certificate for connections that begin from now on. */
  changeCertificate(certificate: Certificate): void {
    for (const thread of this.#threads) thread.send({ type: 'certificate', certificate })
  }

  /** Stops all threads; settles when each has finished its running requests. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#threads.map((thread) => thread.order({ type: 'stop' }, 'stopped')))
  }

  /** The metrics of all threads. */
  collect(): Promise<Scrape> {
    return this.#metrics.collect((number) =>
      number === 0 ? this.group.metrics() : this.#threads[number - 1]!.metrics(),
    )
  }

  #started(number: number): Thread {
    const options = this.group.options ?? { script: packageFile('dist/worker.js') }
    const thread = new Thread(options, this.group.workerData(number), {
      report: (report) => this.#take(thread, report),
      ended: (cause) => {
        if (!this.#isStopping) this.group.died(number, cause)
      },
    })
    return thread
  }

  #take(thread: Thread, report: Report): void {
    if (report.type === 'call') void this.#answer(thread, report)
    else if (report.type === 'used') this.group.used(report.models)
    else if (report.type === 'scrape') {
      const { id } = report
      this.collect().then((scrape) => thread.send({ type: 'scraped', id, scrape }))
    }
  }

  async #answer(
    thread: Thread,
    { id, room, method, args }: Extract<Report, { type: 'call' }>,
  ): Promise<void> {
    const admin = this.group.admins[room] as unknown as Record<string, Method>
    try {
      thread.send({ type: 'answer', id, result: await admin[method]!(...args) })
    } catch (error) {
      thread.send({ type: 'answer', id, error: sent(error) })
    }
  }
}

/**
 * The descriptor of a listening socket. Node tells it in no other way, and `reusePort`, by which each thread would listen
 * by itself, needs Node 22.12.
 */
function descriptorOf(server: Server): number {
  return (server as Server & { readonly _handle: { readonly fd: number } })._handle.fd
}

type Method = (...given: readonly unknown[]) => Promise<unknown>
