import { writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { WorkQueue } from '../../first-layer/running/wait.js'
import { localMaker, type Maker } from '../models/keeper/maker.js'
import { Channel, remote } from '../process/channel.js'
import { Liveness } from '../process/liveness.js'

// The thread that makes tables: it runs a `Maker`'s methods, one after the other, and ends a process whose first thread hangs.

/** Told how far the tables of a model are, 0 … 1. */
export interface Progress {
  made(id: string, share: number): void
}

/** What the thread does for others. */
export interface Making extends Maker {
  /** Ends the process if the first thread has no turn for so many seconds. @param liveness its shared memory */
  watch(liveness: SharedArrayBuffer, seconds: number): void
}

if (parentPort === null) throw new Error('make.js is started by the service, not by hand.')
const STDERR = 2
const channel = new Channel(parentPort)
const progress = channel.room<Progress>('progress')
const maker: Maker = {
  ...localMaker,
  fill: (card, tables) => localMaker.fill(card, tables, (share) => void progress.made(card.id, share)),
}
const jobs = new WorkQueue()

/** Signals reach the first thread alone: one that hangs would keep the process from each but this. */
function watch(shared: SharedArrayBuffer, seconds: number): void {
  new Liveness(shared, Number.NaN).watch(seconds, () => {
    writeSync(STDERR, 'inlet: the first thread does not answer: the process ends\n')
    process.kill(process.pid, 'SIGKILL')
  })
}

channel.listen({
  work: remote(async (method, args) => {
    if (method === 'watch') return watch(...(args as Parameters<typeof watch>))
    const make = maker[method as keyof Maker] as (...given: readonly unknown[]) => Promise<unknown>
    return jobs.run(() => make(...args))
  }),
})
