import { parentPort, workerData } from 'node:worker_threads'
import type { LearningVariables } from '../learning/disk/disk-variables.js'
import { openJournals } from '../learning/disk/open-journals.js'
import { Learners } from '../learning/learners.js'
import type { LearnerJob, LearnerReport } from './learning-thread.js'
import { sent } from './sent-errors.js'

// The thread that learns: it runs `Learners`' methods, one after the other, each to its end.

if (parentPort === null) throw new Error('threads/learn.js is started by the service, not by hand.')
const port = parentPort
const learners = new Learners(openJournals(workerData as LearningVariables))

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
