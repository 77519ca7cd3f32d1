import { type MessagePort, parentPort, type Worker } from 'node:worker_threads'
import { LibraryProcess } from './library-process.js'
import type { Encoded, RustAnswer, RustJob, RustMessage } from './messages.js'
import { RefusedFile } from './rust-host.js'

// The thread that keeps the process of the Rust library: one for all threads, which send it texts.

if (parentPort === null) throw new Error('rust/rust-thread.js is started by the service, not by hand.')

const library = new LibraryProcess()

function listen(port: MessagePort | Worker): void {
  /** The controllers that cancel unanswered jobs. */
  const jobs = new Map<number, AbortController>()
  port.on('message', async (message: RustMessage) => {
    if (message.type === 'connect') listen(message.port)
    else if (message.type === 'cancel') jobs.get(message.id)?.abort()
    else {
      const controller = new AbortController()
      jobs.set(message.id, controller)
      await answer(port, message, controller.signal)
      jobs.delete(message.id)
    }
  })
}

async function answer(port: MessagePort | Worker, job: RustJob, signal: AbortSignal): Promise<void> {
  try {
    const result = await library.run(job, signal)
    if (typeof result !== 'object') send(port, { job: job.id, result }, [])
    else {
      // Arrays of one message may share a buffer, which could not be handed on twice.
      const own = { ...result, ids: result.ids.slice(), ranges: result.ranges.slice() }
      send(port, { job: job.id, result: own }, buffersOf(own))
    }
  } catch (error) {
    send(port, { job: job.id, message: (error as Error).message, isFile: error instanceof RefusedFile }, [])
  }
}

function buffersOf({ ids, ranges }: Encoded): ArrayBuffer[] {
  return [ids.buffer as ArrayBuffer, ranges.buffer as ArrayBuffer]
}

function send(port: MessagePort | Worker, answer: RustAnswer, transfer: ArrayBuffer[]): void {
  port.postMessage(answer, transfer)
}

listen(parentPort)
