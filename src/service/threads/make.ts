import { parentPort } from 'node:worker_threads'
import { WorkQueue } from '../../first-layer/work/wait.js'
import { localMaker } from '../models/keeper/maker.js'
import type { Job, JobReport } from './maker-thread.js'
import { sent } from './sent-errors.js'

// The thread that makes tables: it runs a `Maker`'s jobs, one after the other.

if (parentPort === null) throw new Error('threads/make.js is started by the service, not by hand.')
const port = parentPort
const report = (message: JobReport) => port.postMessage(message)

const jobs = new WorkQueue()
port.on('message', (job: Job) => void jobs.run(() => run(job)))

async function run({ id, method, args }: Job): Promise<void> {
  const progress = (share: number) => report({ type: 'progress', job: id, share })
  try {
    const make = localMaker[method] as (...given: readonly unknown[]) => Promise<unknown>
    report({ type: 'done', job: id, result: await make(...args, progress) })
  } catch (error) {
    report({ type: 'failed', job: id, error: sent(error) })
  }
}
