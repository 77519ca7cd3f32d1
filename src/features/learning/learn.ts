import { parentPort } from 'node:worker_threads'
import { Channel } from '../../service/process/channel.js'
import { TrainerPool } from './trainer-pool.js'

// The thread that learns: it runs `TrainerPool`' methods, one after the other, each to its end.

if (parentPort === null) throw new Error('learn.js is started by the service, not by hand.')
new Channel(parentPort).listen({ work: new TrainerPool() })
