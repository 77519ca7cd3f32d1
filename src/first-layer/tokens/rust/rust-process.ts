import { Worker } from 'node:worker_threads'
import { collectGarbage } from '../../collect-garbage.js'
import { HELD_BYTES } from './limits.js'
import type { Cancel, ProcessAnswer, ProcessJob, TextWork } from './messages.js'
import { RustHost } from './rust-host.js'

// The process in which the Rust library runs one tokenizer: a file or a text at which it panics ends this process, and
// no other.

if (process.send === undefined)
  throw new Error('rust/rust-process.js is started by the service, not by hand.')

/** The process gives memory back when it has had no job for so many milliseconds. */
const REST_MS = 1000

/** Beyond so many bytes that texts have left behind, the collector runs without waiting for rest: 256 MiB. */
const MOST_BYTES = 1 << 28

/** Bytes that V8 does not count, of texts and answers since the collector ran last. */
let leftBytes = 0
const collect = () => {
  if (leftBytes === 0) return
  leftBytes = 0
  collectGarbage()
}
const host = new RustHost()
const restLater = setTimeout(collect, REST_MS).unref()
/** The controllers that cancel unanswered jobs. */
const jobs = new Map<number, AbortController>()

const send = (answer: ProcessAnswer) => process.send?.(answer)

process.on('message', async (message: ProcessJob | Cancel) => {
  const { id } = message
  if (message.type === 'cancel') {
    jobs.get(id)?.abort()
    return
  }
  const controller = new AbortController()
  jobs.set(id, controller)
  try {
    const result =
      message.type === 'open' ? await host.open(message.json) : await host.run(message, controller.signal)
    send({ job: id, result })
  } catch (error) {
    send({ job: id, message: (error as Error).message })
  }
  jobs.delete(id)
  if (message.type !== 'open') leave(message)
  restLater.refresh()
})

function leave(work: TextWork): void {
  leftBytes += HELD_BYTES * (work.type === 'decode' ? work.ids.length : sizeOf(work.chunks))
  if (leftBytes > MOST_BYTES) setImmediate(() => leftBytes > MOST_BYTES && collect())
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

// The service has ended. An exit would wait for the library's threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// The same where the library keeps this thread busy: another one watches whose child the process is.
new Worker(
  `const { ppid } = process
  setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGKILL'), 250)`,
  { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 } },
).unref()
// A terminal's Ctrl-C comes here as well: the service ends this process when it no longer needs it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
