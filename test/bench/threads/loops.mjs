// Design one: node loops.mjs PORT THREADS. Each thread accepts from the same descriptor and serves whole requests.
import { createServer } from 'node:http'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { answer, makeModel } from './work.mjs'

const model = await makeModel()
if (isMainThread) {
  const [port, threads] = process.argv.slice(2).map(Number)
  const server = serve().listen(port, '127.0.0.1', () => {
    for (let thread = 1; thread < threads; thread++) {
      new Worker(new URL(import.meta.url), { workerData: { fd: server._handle.fd } })
    }
  })
} else {
  serve().listen({ fd: workerData.fd })
}

function serve() {
  return createServer(async (request, response) => {
    if (request.method === 'GET') return response.end()
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    response.end(answer(model, Buffer.concat(chunks).toString()))
  })
}
