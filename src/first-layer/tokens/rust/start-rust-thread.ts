import { Worker } from 'node:worker_threads'
import { packageFile } from '../../package-file.js'
import { type RefusalOf, RustClient } from './rust-client.js'

/** A thread other than a script's, which bounds what waits. */
export interface RustThread {
  /** A file of the package that runs `serveLibrary`, and its `workerData`. */
  readonly file: string
  readonly data: unknown
  readonly refusal: RefusalOf
}

/** Starts the thread that keeps the Rust library’s processes: one for the service. It does not keep the process alive. */
export function startRustThread(thread?: RustThread): {
  readonly client: RustClient
  readonly worker: Worker
} {
  const worker = new Worker(packageFile(thread?.file ?? 'dist/rust-thread.js'), { workerData: thread?.data })
  const client = new RustClient(worker, thread?.refusal)
  let cause: Error | undefined
  worker.on('error', (error) => {
    cause = error as Error
  })
  worker.on('exit', (code) =>
    client.failAll(cause ?? new Error(`The thread of the tokenizer library ended with ${code}.`)),
  )
  return { client, worker }
}
