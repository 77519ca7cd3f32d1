import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

// Answers calls as src/service/process/channel.ts posts them, and does to itself what a request asks for.

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

parentPort.on('message', ({ id, method, args: [serving] }) => {
  const answer = (result) => parentPort.postMessage({ kind: 'answer', id, result })
  if (method === 'serve') server.listen(serving.listener, () => answer())
  else answer(method === 'metrics' ? counted(served) : undefined)
})

function counted(value) {
  const served = { name: 'served', help: '-', type: 'counter', aggregator: 'sum' }
  const level = { name: 'level', help: '-', type: 'gauge', aggregator: 'sum' }
  return [
    { ...served, values: [{ value, labels: {} }] },
    { ...level, values: [{ value: 1, labels: {} }] },
  ]
}
