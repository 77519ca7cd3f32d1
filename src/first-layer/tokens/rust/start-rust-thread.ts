import { Worker } from 'node:worker_threads'
import { packageFile } from '../../package-file.js'
import { RustClient } from './rust-client.js'

/** Starts the thread that keeps the Rust library’s process: one for the service. It does not keep the process alive. */
export function startRustThread(): { readonly client: RustClient; readonly worker: Worker } {
  const worker = new Worker(packageFile('dist/rust-thread.js'))
  const client = new RustClient(worker)
  let cause: Error | undefined
  worker.on('error', (error) => {
    cause = error as Error
  })
  worker.on('exit', (code) =>
    client.failAll(cause ?? new Error(`The thread of the tokenizer library ended with ${code}.`)),
  )
  return { client, worker }
}
