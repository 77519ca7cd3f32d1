import { Worker } from 'node:worker_threads'
import { packageFile } from '../../first-layer/package-file.js'
import type { Maker } from '../models/keeper/maker.js'
import { Calls } from './calls.js'
import { received, type SentError } from './sent-errors.js'

/** A method of `Maker` to run, with its arguments but for the function that is told the progress. */
export interface Job {
  readonly id: number
  readonly method: keyof Maker
  readonly args: readonly unknown[]
}

/** The thread's messages about a job. */
export type JobReport =
  | { readonly type: 'progress'; readonly job: number; readonly share: number }
  | { readonly type: 'done'; readonly job: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly job: number; readonly error: SentError }

/**
 * Runs a `Maker` in a thread of its own, one job after the other. The first job starts the thread, so that tables are made
 * while the rest of the service is loaded. An idle thread does not keep the process alive.
 */
export class MakerThread implements Maker {
  readonly #calls = new Calls<unknown>()
  /** Called with the share of a job that is done. */
  readonly #progress = new Map<number, (share: number) => void>()
  #worker: Worker | undefined

  readonly inspect: Maker['inspect'] = (...args) => this.#run('inspect', args)
  readonly copy: Maker['copy'] = (...args) => this.#run('copy', args)
  readonly hash: Maker['hash'] = (...args) => this.#run('hash', args)
  readonly fill: Maker['fill'] = (card, tables, progress) => this.#run('fill', [card, tables], progress)

  /** Ends the thread and gives its memory back; a later job starts another one. Jobs that run are rejected. */
  end(): void {
    void this.#worker?.terminate()
  }

  async #run<Result>(
    method: keyof Maker,
    args: readonly unknown[],
    progress: (share: number) => void = () => {},
  ): Promise<Result> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const { id, answer } = this.#calls.open()
    this.#progress.set(id, progress)
    worker.ref()
    worker.postMessage({ id, method, args } satisfies Job)
    try {
      return (await answer) as Result
    } finally {
      this.#progress.delete(id)
      if (this.#calls.size === 0) worker.unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(packageFile('dist/make.js'))
    let cause: Error | undefined
    worker.on('error', (error: Error) => {
      cause = error
    })
    worker.on('exit', (code) => {
      this.#worker = undefined // the next job starts another thread
      this.#calls.rejectAll(cause ?? new Error(`The thread that makes tables ended with ${code}.`))
    })
    worker.on('message', (report: JobReport) => {
      if (report.type === 'progress') this.#progress.get(report.job)?.(report.share)
      else if (report.type === 'done') this.#calls.resolve(report.job, report.result)
      else this.#calls.reject(report.job, received(report.error))
    })
    return worker
  }
}
