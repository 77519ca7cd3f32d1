import { type MessagePort, parentPort, type Worker } from 'node:worker_threads'
import { Rest } from '../../load/rest.js'
import { ForeignHost, RefusedFile } from './foreign-host.js'
import type { Encoded, ForeignAnswer, ForeignJob, ForeignMessage } from './messages.js'

// The thread in which the Rust library runs: one for the process, whichever threads send it texts.

if (parentPort === null) throw new Error('foreign/foreign-thread.js is started by the service, not by hand.')

/** The thread gives memory back when it has had no job for so many milliseconds. */
const REST_MS = 1000

const rest = new Rest()
const host = new ForeignHost((bytes) => rest.letTablesGo(bytes))
const restLater = setTimeout(() => rest.tidyTables(), REST_MS).unref()

function listen(port: MessagePort | Worker): void {
  port.on('message', (message: ForeignMessage) => {
    if (message.type === 'connect') listen(message.port)
    else void answer(port, message)
  })
}

async function answer(port: MessagePort | Worker, job: ForeignJob): Promise<void> {
  try {
    const result = await host.run(job)
    const isEncoded = typeof result === 'object'
    send(port, { job: job.id, result }, isEncoded ? buffersOf(result) : [])
  } catch (error) {
    send(port, { job: job.id, message: (error as Error).message, isFile: error instanceof RefusedFile }, [])
  }
  restLater.refresh()
}

function buffersOf({ ids, ranges }: Encoded): ArrayBuffer[] {
  return [ids.buffer as ArrayBuffer, ranges.buffer as ArrayBuffer]
}

function send(port: MessagePort | Worker, answer: ForeignAnswer, transfer: ArrayBuffer[]): void {
  port.postMessage(answer, transfer)
}

listen(parentPort)
