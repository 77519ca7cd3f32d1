import type { MessagePort, Worker } from 'node:worker_threads'
import { failureOf } from './failures.js'
import type { Encoded, RustAnswer, RustJob, RustMessage } from './messages.js'
import type { TokenizerProcesses } from './tokenizer-processes.js'

/** Answers jobs that come by a port, and by those that are connected through it. */
export function serveLibrary(library: TokenizerProcesses, port: MessagePort | Worker): void {
  /** The controllers that cancel unanswered jobs. */
  const jobs = new Map<number, AbortController>()
  port.on('message', async (message: RustMessage) => {
    if (message.type === 'connect') serveLibrary(library, message.port)
    else if (message.type === 'cancel') jobs.get(message.id)?.abort()
    else {
      const controller = new AbortController()
      jobs.set(message.id, controller)
      await answer(library, port, message, controller.signal)
      jobs.delete(message.id)
    }
  })
}

async function answer(
  library: TokenizerProcesses,
  port: MessagePort | Worker,
  { id, ...work }: RustJob,
  signal: AbortSignal,
): Promise<void> {
  try {
    const result = await library.run(work, signal)
    if (typeof result !== 'object') send(port, { job: id, result }, [])
    else {
      // Arrays of one message may share a buffer, which could not be handed on twice.
      const own = { ...result, ids: result.ids.slice(), ranges: result.ranges.slice() }
      send(port, { job: id, result: own }, buffersOf(own))
    }
  } catch (error) {
    send(port, { job: id, failure: failureOf(error as Error) }, [])
  }
}

function buffersOf({ ids, ranges }: Encoded): ArrayBuffer[] {
  return [ids.buffer as ArrayBuffer, ranges.buffer as ArrayBuffer]
}

function send(port: MessagePort | Worker, answer: RustAnswer, transfer: ArrayBuffer[]): void {
  port.postMessage(answer, transfer)
}
