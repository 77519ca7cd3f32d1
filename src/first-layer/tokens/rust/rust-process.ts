import type { ProcessAnswer, ProcessJob, Result } from './messages.js'
import { loadLibrary, OpenFile } from './open-file.js'

// The process in which the Rust library runs: a file or a text at which the library panics ends this process, and
// not the service.

if (process.send === undefined)
  throw new Error('rust/rust-process.js is started by the service, not by hand.')

const files = new Map<string, OpenFile>()
const send = (answer: { id: number } & ({ result: Result } | { message: string })) =>
  process.send?.({ ...answer, processBytes: process.memoryUsage.rss() } satisfies ProcessAnswer)

process.on('message', async (job: ProcessJob) => {
  const { id, key } = job
  try {
    if (job.type === 'open') files.set(key, await openFile(job.json))
    send({ id, result: job.type === 'open' ? undefined : await files.get(key)!.run(job) })
  } catch (error) {
    send({ id, message: (error as Error).message })
  }
})

async function openFile(json: Uint8Array): Promise<OpenFile> {
  const library = await loadLibrary()
  if (typeof library === 'string') throw new Error(library)
  return new OpenFile(library, Buffer.from(json).toString('utf8'))
}

// The service has ended. An exit would wait for the library's threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// A terminal's Ctrl-C comes here as well: the service ends this process when it no longer needs it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
