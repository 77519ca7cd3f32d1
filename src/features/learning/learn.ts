import { parentPort } from 'node:worker_threads'
import { sent } from '../../service/threads/sent-errors.js'
import { Learners } from './learners.js'
import type { LearnerJob, LearnerReport } from './learning-thread.js'

// The thread that learns: it runs `Learners`' methods, one after the other, each to its end.

if (parentPort === null) throw new Error('threads/learn.js is started by the service, not by hand.')
const port = parentPort
const learners = new Learners()

port.on('message', ({ id, method, args }: LearnerJob) => {
  const learn = learners[method] as (...given: readonly unknown[]) => unknown
  let report: LearnerReport
  try {
    report = { id, result: learn.apply(learners, args as unknown[]) }
  } catch (error) {
    report = { id, error: sent(error) }
  }
  port.postMessage(report)
})
