import { collectGarbage } from '../../collect-garbage.js'
import type { Cancel, RustAnswer, RustJob } from './messages.js'
import { RefusedFile, RustHost } from './rust-host.js'

// The process in which the Rust library runs: a file or a text at which it panics ends this process, and no other.

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
const host = new RustHost((bytes) => {
  leftBytes += bytes
  if (leftBytes > MOST_BYTES) setImmediate(() => leftBytes > MOST_BYTES && collect())
})
const restLater = setTimeout(collect, REST_MS).unref()
/** The controllers that cancel unanswered jobs. */
const jobs = new Map<number, AbortController>()

const send = (answer: RustAnswer) => process.send?.(answer)

process.on('message', async (message: RustJob | Cancel) => {
  const { id } = message
  if (message.type === 'cancel') {
    jobs.get(id)?.abort()
    return
  }
  const controller = new AbortController()
  jobs.set(id, controller)
  try {
    send({ job: id, result: await host.run(message, controller.signal) })
  } catch (error) {
    send({ job: id, message: (error as Error).message, isFile: error instanceof RefusedFile })
  }
  jobs.delete(id)
  restLater.refresh()
})
process.on('disconnect', () => process.exit()) // the service has ended
// A terminal's Ctrl-C comes here as well: the service disconnects when it no longer needs this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
