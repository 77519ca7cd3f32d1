import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

// Speaks the orders of src/threads/messages.ts, and does to itself what a request asks for.

let served = 0
const sleep = new Int32Array(new SharedArrayBuffer(4))
const acts = {
  '/die': () => {
    throw new Error('a poisoned request')
  },
  '/heap': () => {
    for (const full = []; ; ) full.push(new Array(10_000).fill({}))
  },
  '/hang': () => Atomics.wait(sleep, 0, 0),
}
const server = createServer({ keepAliveTimeout: 1 }, (request, response) => {
  served++
  const act = acts[request.url]
  response.end(JSON.stringify({ thread: workerData.thread }), () => act && setImmediate(act))
})

parentPort.on('message', ({ type, listener }) => {
  const report = (message) => parentPort.postMessage(message)
  if (type === 'serve') server.listen({ fd: listener }, () => report({ type: 'serving' }))
  else if (type === 'collect') report({ type: 'collected', metrics: counted(served) })
  else if (type === 'stop') report({ type: 'stopped' })
})

function counted(value) {
  const served = { name: 'served', help: '-', type: 'counter', aggregator: 'sum' }
  const level = { name: 'level', help: '-', type: 'gauge', aggregator: 'sum' }
  return [
    { ...served, values: [{ value, labels: {} }] },
    { ...level, values: [{ value: 1, labels: {} }] },
  ]
}
