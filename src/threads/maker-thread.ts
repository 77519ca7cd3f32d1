import { Worker } from 'node:worker_threads'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import { packageFile } from '../first-layer/package-file.js'
import type { Maker } from '../models/keeper/maker.js'
import { Calls } from './calls.js'
import type { SentError } from './messages.js'
import { received } from './sent-errors.js'

/** A job for the thread. */
export type Job = { readonly id: number } & Work
type Work =
  | { readonly type: 'fill'; readonly card: ModelCard; readonly tables: SharedTables }
  | {
      readonly type: 'copy'
      readonly from: SharedTables
      readonly to: SharedTables
      readonly names: readonly string[]
    }
  | { readonly type: 'hash'; readonly header: Uint8Array; readonly tables: SharedTables }
  | { readonly type: 'inspect'; readonly model: string; readonly path: string }

/** What a job gives: a digest, a card, or nothing. */
export type JobResult = string | ModelCard | undefined

/** The thread's messages about a job. */
export type JobReport =
  | { readonly type: 'progress'; readonly job: number; readonly share: number }
  | { readonly type: 'done'; readonly job: number; readonly result: JobResult }
  | { readonly type: 'failed'; readonly job: number; readonly error: SentError }

/**
 * Makes tables in a separate thread. The first job starts the thread, which then waits for further ones: at the
 * start of the service it makes tables while the rest is loaded. A thread without a job does not keep the
 * process alive.
 */
export class MakerThread implements Maker {
  readonly #calls = new Calls<JobResult>()
  /** Called with the share of a job that is done. */
  readonly #progress = new Map<number, (share: number) => void>()
  #worker: Worker | undefined

  async inspect(model: string, path: string): Promise<ModelCard> {
    return (await this.#run({ type: 'inspect', model, path })) as ModelCard
  }

  async fill(card: ModelCard, tables: SharedTables, progress: (share: number) => void): Promise<void> {
    await this.#run({ type: 'fill', card, tables }, progress)
  }

  async copy(from: SharedTables, to: SharedTables, names: readonly string[]): Promise<void> {
    await this.#run({ type: 'copy', from, to, names })
  }

  async hash(header: Uint8Array, tables: SharedTables): Promise<string> {
    return (await this.#run({ type: 'hash', header, tables })) as string
  }

  async #run(work: Work, progress: (share: number) => void = () => {}): Promise<JobResult> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const { id, answer } = this.#calls.open()
    this.#progress.set(id, progress)
    worker.ref()
    worker.postMessage({ id, ...work } satisfies Job)
    try {
      return await answer
    } finally {
      this.#progress.delete(id)
      if (this.#calls.size === 0) worker.unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(packageFile('dist/make.js'))
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) =>
      this.#ended(cause ?? new Error(`The thread that makes tables ended with ${code}.`)),
    )
    worker.on('message', (report: JobReport) => this.#take(report))
    return worker
  }

  #take(report: JobReport): void {
    if (report.type === 'progress') this.#progress.get(report.job)?.(report.share)
    else if (report.type === 'done') this.#calls.resolve(report.job, report.result)
    else this.#calls.reject(report.job, received(report.error))
  }

  /** Fails the jobs of a thread that has ended; the next job starts another thread. */
  #ended(cause: unknown): void {
    this.#worker = undefined
    this.#calls.rejectAll(cause as Error)
  }
}
