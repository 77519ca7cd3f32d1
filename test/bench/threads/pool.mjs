// Design two: node pool.mjs PORT THREADS. One loop takes the requests and hands them to a pool of threads.
import { createServer } from 'node:http'
import { importRival } from '../harness/npm-rivals.mjs'

const [port, threads] = process.argv.slice(2).map(Number)
const { Piscina } = await importRival('piscina')
const pool = new Piscina({
  filename: new URL('./pool-worker.mjs', import.meta.url).href,
  minThreads: threads,
  maxThreads: threads,
})

createServer(async (request, response) => {
  if (request.method === 'GET') return response.end()
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  response.end(await pool.run(Buffer.concat(chunks).toString()))
}).listen(port, '127.0.0.1')
