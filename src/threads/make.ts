import { parentPort } from 'node:worker_threads'
import { bytesOfAll } from '../first-layer/embeddings/table-memory.js'
import { IdleCollection } from '../load/idle-collection.js'
import { localMaker } from '../models/keeper/maker.js'
import type { Job, JobReport, JobResult } from './maker-thread.js'
import { sent } from './sent-errors.js'

// The thread that makes tables: it fills them from their source, copies and hashes them, one job after the other.

if (parentPort === null) throw new Error('threads/make.js is started by the service, not by hand.')
const port = parentPort
const report = (message: JobReport) => port.postMessage(message)

/** The thread gives memory back when it has had no job for so many milliseconds. */
const REST_MS = 1000

let last: Promise<void> = Promise.resolve()
port.on('message', (job: Job) => {
  last = last.then(() => run(job))
})
const idleCollection = new IdleCollection()
const restLater = setTimeout(() => idleCollection.tidyTables(), REST_MS).unref()

async function run(job: Job): Promise<void> {
  try {
    report({ type: 'done', job: job.id, result: await resultOf(job) })
  } catch (error) {
    report({ type: 'failed', job: job.id, error: sent(error) })
  }
  if (job.type !== 'inspect')
    idleCollection.letTablesGo(bytesOfAll((job.type === 'copy' ? job.to : job.tables).places))
  restLater.refresh()
}

async function resultOf(job: Job): Promise<JobResult> {
  if (job.type === 'inspect') return localMaker.inspect(job.model, job.path)
  if (job.type === 'hash') return localMaker.hash(job.header, job.tables)
  if (job.type === 'copy') await localMaker.copy(job.from, job.to, job.names)
  else {
    await localMaker.fill(job.card, job.tables, (share) => report({ type: 'progress', job: job.id, share }))
  }
  return undefined
}
