import { Worker } from 'node:worker_threads'
import { packageFile } from '../../first-layer/package-file.js'
import { Calls } from '../../service/threads/calls.js'
import { received, type SentError } from '../../service/threads/sent-errors.js'
import type { Learners } from './learners.js'
import { type RemoteLearners, remoteLearners } from './remote-learners.js'

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
 *
 * @param ended called when the thread has died, with all that its learners held
 */
export function learningThread(ended: (cause: Error) => void): RemoteLearners {
  const calls = new Calls<unknown>()
  let worker: Worker | undefined

  function start(): Worker {
    const started = new Worker(packageFile('dist/learn.js'))
    let cause: Error | undefined
    started.on('error', (error: Error) => {
      cause = error
    })
    started.on('exit', (code) => {
      const died = cause ?? new Error(`It ended with ${code}.`)
      calls.rejectAll(died)
      ended(died)
    })
    started.on('message', (report: LearnerReport) => {
      if (report.error === undefined) calls.resolve(report.id, report.result)
      else calls.reject(report.id, received(report.error))
    })
    return started
  }

  return remoteLearners(async (method, args) => {
    worker ??= start()
    const { id, answer } = calls.open()
    worker.ref()
    worker.postMessage({ id, method, args } satisfies LearnerJob)
    try {
      return await answer
    } finally {
      if (calls.size === 0) worker.unref()
    }
  })
}
