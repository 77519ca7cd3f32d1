import { Worker } from 'node:worker_threads'
import { packageFile } from '../../package-file.js'
import { ForeignClient } from './foreign-client.js'

/** Starts the thread that keeps the Rust library’s process: one for the service. It does not keep the process alive. */
export function startForeignThread(): { readonly client: ForeignClient; readonly worker: Worker } {
  const worker = new Worker(packageFile('dist/foreign-thread.js'))
  const client = new ForeignClient(worker)
  let cause: Error | undefined
  worker.on('error', (error) => {
    cause = error as Error
  })
  worker.on('exit', (code) =>
    client.failAll(cause ?? new Error(`The thread of the tokenizer library ended with ${code}.`)),
  )
  return { client, worker }
}
