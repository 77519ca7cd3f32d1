import type { Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ApiKey } from '../callers/api-keys.js'
import type { DatasetAdmin } from '../datasets/admin.js'
import type { SelectedBackend } from '../first-layer/embeddings/backends/select.js'
import { packageFile } from '../first-layer/package-file.js'
import type { TokenizerLibrary } from '../first-layer/tokens/rust/rust-library.js'
import type { HeldFile, LearningAdmin } from '../learning/admin.js'
import type { Certificate } from '../listening/certificate.js'
import type { ModelAdmin, OpenUpload } from '../models/admin.js'
import type { ModelEntry } from '../models/entry.js'
import { copyListener, descriptorOf } from './listener-copies.js'
import type { Listener, Order, Report, Scrape, WorkerData } from './messages.js'
import { Restarts } from './restarts.js'
import { sent } from './sent-errors.js'
import { type Ack, Thread, type ThreadOptions } from './thread.js'
import { ThreadMetrics } from './thread-metrics.js'

/** The first thread's part in the group of the other threads. */
export interface Group {
  /** Number of threads besides the first; it may be 0. */
  readonly others: number
  /** The listening socket that all threads accept from. */
  readonly server: Server
  readonly logger: Logger
  /** Gives the data that a thread is started with; called for each thread, and for each replacement. */
  workerData(thread: number): WorkerData
  /** The first thread's own metrics. */
  metrics(): Promise<object[]>
  /** Every model, as it is now. */
  models(): readonly ModelEntry[]
  /** Carry out the threads' calls: each method gets the thread's number as one more, last argument. */
  readonly admins: {
    readonly models: ModelAdmin
    readonly datasets: DatasetAdmin | undefined
    readonly learning: LearningAdmin
    readonly tokenizers: TokenizerLibrary
  }
  /** Called with the ids of models that a thread has used. */
  used(models: readonly string[]): void
  /** Called when a thread has ended, to give back what it held of the shared memory. */
  threadEnded(thread: number): void
  /** Called when a thread has died and cannot be replaced. */
  giveUp(thread: number, reason: string): void
  /** Default: the service's own. */
  readonly options?: ThreadOptions
}

/**
 * The process's threads besides the first: each has its own event loop, accepts from the same listening socket and
 * serves whole requests on the same tables. The first thread starts them, passes them the tables, adds up their
 * metrics, and replaces a thread that dies.
 */
export class ThreadGroup {
  /** Threads by number. Empty places: that of the first thread, and of a thread that died until it is replaced. */
  readonly #threads: (Thread | undefined)[] = [undefined]
  readonly #restarts: readonly Restarts[]
  readonly #metrics: ThreadMetrics
  #isStopping = false
  #canReplace = true
  /** Set when the threads begin to serve. */
  #backend: SelectedBackend | undefined

  constructor(private readonly group: Group) {
    this.#restarts = Array.from({ length: group.others + 1 }, () => new Restarts())
    this.#metrics = new ThreadMetrics(group.others + 1)
    for (let thread = 1; thread <= group.others; thread++) this.#start(thread)
  }

  /** Sends the models to all threads; settles when every thread accepts connections or has ended. */
  async serve(backend: SelectedBackend): Promise<void> {
    const listeners = await this.#listeners()
    this.#backend = backend
    await Promise.all(listeners.map((listener, i) => this.#serve(i + 1, backend, listener)))
  }

  /** Sends all threads a change of the models; a later thread gets all models when it begins to serve. */
  tell(order: (id: number) => Order): Ack[] {
    return this.#threads.flatMap((thread) => (thread === undefined ? [] : [thread.tell(order)]))
  }

  /** Sends all threads the users' keys that are valid from now on. */
  changeKeys(keys: readonly ApiKey[]): void {
    for (const thread of this.#threads) thread?.send({ type: 'keys', keys })
  }

  /** Gives all threads the certificate for connections that begin from now on. */
  changeCertificate(certificate: Certificate): void {
    for (const thread of this.#threads) thread?.send({ type: 'certificate', certificate })
  }

  /** Makes the present answer of each connection the last one there. */
  drain(): void {
    for (const thread of this.#threads) thread?.send({ type: 'drain' })
  }

  /** Stops all threads; settles when each has finished its running requests. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#threads.map((thread) => thread?.order({ type: 'stop' }, 'stopped')))
  }

  /** The metrics of all threads. */
  collect(): Promise<Scrape> {
    return this.#metrics.collect((number) =>
      number === 0 ? this.group.metrics() : this.#threads[number]?.metrics(),
    )
  }

  #start(number: number): void {
    const options = this.group.options ?? { script: packageFile('dist/worker.js') }
    this.#threads[number] = new Thread(options, this.group.workerData(number), {
      report: (report) => this.#take(number, report),
      ended: (cause) => void this.#ended(number, cause),
    })
  }

  /** A descriptor of the listener for each thread; where none can be made, the first thread's own for all. */
  async #listeners(): Promise<Listener[]> {
    const { others, server, logger } = this.group
    if (others === 0) return []
    try {
      return (await copyListener(server, others)).map((fd) => ({ fd, isOwn: true }))
    } catch (error) {
      this.#canReplace = false
      logger.warn({ err: error }, 'the listener cannot be copied: a thread that dies ends the process')
      return new Array(others).fill({ fd: descriptorOf(server), isOwn: false })
    }
  }

  async #serve(number: number, backend: SelectedBackend, listener: Listener): Promise<boolean> {
    const thread = this.#threads[number]
    const order = { type: 'serve', models: this.group.models(), backend, listener } as const
    return (await thread?.order(order, 'serving')) !== undefined
  }

  async #ended(number: number, cause: unknown): Promise<void> {
    this.#threads[number] = undefined
    this.group.threadEnded(number)
    await this.#metrics.end(number)
    if (this.#isStopping) return
    this.group.logger.error({ err: cause, died: number }, 'a thread died, and its requests with it')
    const wait = this.#restarts[number].next(performance.now())
    if (!this.#canReplace) this.group.giveUp(number, 'It shared its listener with all.')
    else if (wait === undefined) this.group.giveUp(number, 'It died again and again.')
    else await this.#replace(number, wait)
  }

  async #replace(number: number, wait: number): Promise<void> {
    await delay(wait)
    if (this.#isStopping) return
    this.#start(number)
    const backend = this.#backend
    if (backend === undefined) return // the new thread gets its `serve` with the others
    const copies = await copyListener(this.group.server, 1).catch((error: Error) => error)
    if (this.#isStopping) return
    if (copies instanceof Error) this.group.giveUp(number, copies.message)
    else if (await this.#serve(number, backend, { fd: copies[0], isOwn: true })) {
      this.group.logger.info({ born: number }, 'another thread has taken its place')
    }
  }

  #take(number: number, report: Report): void {
    if (report.type === 'call') void this.#answer(number, report)
    else if (report.type === 'used') this.group.used(report.models)
    else if (report.type === 'scrape') {
      const { id } = report
      this.collect().then((scrape) => this.#threads[number]?.send({ type: 'scraped', id, scrape }))
    }
  }

  async #answer(number: number, call: Extract<Report, { type: 'call' }>): Promise<void> {
    const { id, room, method, args } = call
    const { models, learning } = this.group.admins
    const admin = this.group.admins[room] as unknown as Record<string, Method>
    const thread = this.#threads[number]
    try {
      const result = await admin[method]!(...args, number)
      if (this.#threads[number] !== thread) {
        // The thread has ended, and will not give them back.
        if (method === 'openUpload') await models.abandonUpload((result as OpenUpload).upload)
        if (room === 'learning' && isHeld(result)) await learning.letGo(result.held)
      }
      thread?.send({ type: 'answer', id, result })
    } catch (error) {
      thread?.send({ type: 'answer', id, error: sent(error) })
    }
  }
}

function isHeld(result: unknown): result is HeldFile {
  return typeof result === 'object' && result !== null && 'held' in result
}

type Method = (...given: readonly unknown[]) => Promise<unknown>
