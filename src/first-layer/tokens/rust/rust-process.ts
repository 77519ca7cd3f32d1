import { Worker } from 'node:worker_threads'
import type { Cancel, ProcessAnswer, ProcessJob } from './messages.js'
import { RustHost } from './rust-host.js'

// The process in which the Rust library runs one tokenizer: a file or a text at which it panics ends this process, and
// no other.

if (process.send === undefined)
  throw new Error('rust/rust-process.js is started by the service, not by hand.')

const host = new RustHost()
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
})

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
