import { parentPort } from 'node:worker_threads'
import { WorkQueue } from '../../first-layer/running/wait.js'
import { localMaker, type Maker } from '../models/keeper/maker.js'
import { Channel, remote } from './channel.js'
import type { Progress } from './work-thread.js'

// The thread that makes tables: it runs a `Maker`'s methods, one after the other.

if (parentPort === null) throw new Error('make.js is started by the service, not by hand.')
const channel = new Channel(parentPort)
const progress = channel.room<Progress>('progress')
const maker: Maker = {
  ...localMaker,
  fill: (card, tables) => localMaker.fill(card, tables, (share) => void progress.made(card.id, share)),
}
const jobs = new WorkQueue()

channel.listen({
  work: remote((method, args) => {
    const make = maker[method as keyof Maker] as (...given: readonly unknown[]) => Promise<unknown>
    return jobs.run(() => make(...args))
  }),
})
