import { Worker } from 'node:worker_threads'
import { packageFile } from '../first-layer/package-file.js'
import type { LearningVariables } from '../learning/disk/disk-variables.js'
import type { Learners } from '../learning/learners.js'
import type { RemoteLearners } from '../learning/remote-learners.js'
import { Calls } from './calls.js'
import { received, type SentError } from './sent-errors.js'

/** A method of `Learners` to run. */
export interface LearnerJob {
  readonly id: number
  readonly method: keyof Learners
  readonly args: readonly unknown[]
}

/** The thread's answer to a job. */
export type LearnerReport =
  | { readonly id: number; readonly result: unknown; readonly error?: undefined }
  | { readonly id: number; readonly error: SentError }

/**
 * Runs `Learners` in a thread of their own. The first job starts it: where nobody learns, nothing is loaded. An idle thread
 * does not keep the process alive.
 */
export class LearningThread implements RemoteLearners {
  readonly #calls = new Calls<unknown>()
  readonly #variables: LearningVariables
  #worker: Worker | undefined

  /**
   * @param variables where it keeps what is learned
   * @param ended called when the thread has died, with all that its learners held
   */
  constructor(
    { DATA_DIR, DATA_QUOTA_BYTES, LEARNING_SYNC }: LearningVariables,
    private readonly ended: (cause: Error) => void,
  ) {
    this.#variables = { DATA_DIR, DATA_QUOTA_BYTES, LEARNING_SYNC } // the configuration has keys, which are not posted
  }

  readonly begin: RemoteLearners['begin'] = (...args) => this.#run('begin', args)
  readonly restore: RemoteLearners['restore'] = (...args) => this.#run('restore', args)
  readonly reopen: RemoteLearners['reopen'] = (...args) => this.#run('reopen', args)
  readonly fill: RemoteLearners['fill'] = (...args) => this.#run('fill', args)
  readonly letGo: RemoteLearners['letGo'] = (...args) => this.#run('letGo', args)
  readonly call: RemoteLearners['call'] = (...args) => this.#run('call', args)
  readonly bring: RemoteLearners['bring'] = (...args) => this.#run('bring', args)
  readonly checkpointBytes: RemoteLearners['checkpointBytes'] = (...args) =>
    this.#run('checkpointBytes', args)
  readonly openCheckpoint: RemoteLearners['openCheckpoint'] = (...args) => this.#run('openCheckpoint', args)
  readonly writeSome: RemoteLearners['writeSome'] = (...args) => this.#run('writeSome', args)
  readonly foldSome: RemoteLearners['foldSome'] = (...args) => this.#run('foldSome', args)
  readonly end: RemoteLearners['end'] = (...args) => this.#run('end', args)

  async close(): Promise<void> {
    if (this.#worker !== undefined) await this.#run('close', [])
  }

  async #run<Result>(method: keyof Learners, args: readonly unknown[]): Promise<Result> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const { id, answer } = this.#calls.open()
    worker.ref()
    worker.postMessage({ id, method, args } satisfies LearnerJob)
    try {
      return (await answer) as Result
    } finally {
      if (this.#calls.size === 0) worker.unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(packageFile('dist/learn.js'), { workerData: this.#variables })
    let cause: Error | undefined
    worker.on('error', (error: Error) => {
      cause = error
    })
    worker.on('exit', (code) => {
      this.#worker = undefined // the next job starts another thread
      const died = cause ?? new Error(`The thread that learns ended with ${code}.`)
      this.#calls.rejectAll(died)
      this.ended(died)
    })
    worker.on('message', (report: LearnerReport) => {
      if (report.error === undefined) this.#calls.resolve(report.id, report.result)
      else this.#calls.reject(report.id, received(report.error))
    })
    return worker
  }
}
