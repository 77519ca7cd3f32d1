import { parentPort } from 'node:worker_threads'
import { calculations } from './calculator.js'
import { Channel } from './channel.js'

// The thread for long calculations: it runs them one after the other, each to its end.

if (parentPort === null) throw new Error('calculate.js is started by the service, not by hand.')
new Channel(parentPort).listen({ work: calculations })
