import { parentPort, workerData } from 'node:worker_threads'
import type { LearningVariables } from '../learning/disk/disk-variables.js'
import { openJournals } from '../learning/disk/open-journals.js'
import { Learners } from '../learning/learners.js'
import { IdleCollection } from '../load/idle-collection.js'
import type { LearnerJob, LearnerReport } from './learning-thread.js'
import { sent } from './sent-errors.js'

// The thread that learns: it runs `Learners`' methods, one after the other, each to its end.

if (parentPort === null) throw new Error('threads/learn.js is started by the service, not by hand.')
const port = parentPort
const learners = new Learners(openJournals(workerData as LearningVariables))

/** Methods after which memory is not held any more: a learner's, or that of tables and files of other threads. */
const LETS_GO: ReadonlySet<keyof Learners> = new Set(['end', 'restore', 'writeSome'])
/** Milliseconds without a job after which the thread gives memory back. */
const IDLE_MS = 1000
const idleCollection = new IdleCollection()
const collectLater = setTimeout(() => idleCollection.tidyTables(), IDLE_MS).unref()

port.on('message', ({ id, method, args }: LearnerJob) => {
  const learn = learners[method] as (...given: readonly unknown[]) => unknown
  let report: LearnerReport
  try {
    report = { id, result: learn.apply(learners, args as unknown[]) }
  } catch (error) {
    report = { id, error: sent(error) }
  }
  port.postMessage(report)
  if (LETS_GO.has(method)) idleCollection.letTablesGo(1)
  collectLater.refresh()
})
