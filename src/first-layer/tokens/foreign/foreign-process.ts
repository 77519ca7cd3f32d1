import { IdleCollection } from '../../../load/idle-collection.js'
import { ForeignHost, RefusedFile } from './foreign-host.js'
import type { Cancel, ForeignAnswer, ForeignJob } from './messages.js'

// The process in which the Rust library runs: a file or a text at which it panics ends this process, and no other.

if (process.send === undefined)
  throw new Error('foreign/foreign-process.js is started by the service, not by hand.')

/** The process gives memory back when it has had no job for so many milliseconds. */
const REST_MS = 1000

const idleCollection = new IdleCollection()
const host = new ForeignHost((bytes) => idleCollection.letTablesGo(bytes))
const restLater = setTimeout(() => idleCollection.tidyTables(), REST_MS).unref()
/** What cancels each job that is not answered yet. */
const jobs = new Map<number, AbortController>()

const send = (answer: ForeignAnswer) => process.send?.(answer)

process.on('message', async (message: ForeignJob | Cancel) => {
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
// A terminal's Ctrl-C comes here as well: the service says when it needs this process no more.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
