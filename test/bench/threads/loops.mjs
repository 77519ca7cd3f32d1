// Design one: node loops.mjs PORT THREADS. Each thread accepts from the same descriptor and serves whole requests.
import { createServer } from 'node:http'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { answer, attachModel, makeModel } from './work.mjs'

if (isMainThread) {
  const [port, threads] = process.argv.slice(2).map(Number)
  const model = await makeModel(threads)
  const server = serve(model).listen(port, '127.0.0.1', () => {
    for (let thread = 1; thread < threads; thread++) {
      new Worker(new URL(import.meta.url), {
        workerData: { shared: model.shared, thread, fd: server._handle.fd },
      })
    }
  })
} else {
  const { shared, thread, fd } = workerData
  serve(await attachModel(shared, thread)).listen({ fd })
}

function serve(model) {
  return createServer(async (request, response) => {
    if (request.method === 'GET') return response.end()
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    response.end(await answer(model, Buffer.concat(chunks).toString()))
  })
}
