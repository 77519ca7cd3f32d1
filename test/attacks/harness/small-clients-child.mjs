import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { head } from './connections.mjs'
import { spread } from './figures.mjs'
import { KeptConnection } from './kept-connection.mjs'

// Clients with small requests, in a separate process: what they wait for is the service, not the sender of an
// attack. Messages: 'start', then 'stop', which is answered with what they saw.

const [port, count, pauseMs] = process.argv.slice(2, 5).map(Number)
const model = process.argv[5]
const BODY = JSON.stringify({
  model,
  text: 'Hello, world! This is the first layer.',
  context_length: 4,
  encoding_format: 'base64',
})
const REQUEST =
  head('POST', '/v1/input-embeddings', { 'Content-Type': 'application/json' }, BODY.length) + BODY

let times = []
let lost = {}
let running = false
let clients = []

async function client(number) {
  const connection = new KeptConnection(port)
  await delay((pauseMs * number) / count)
  while (running) {
    const { status, code, ms, problem } = await connection.ask(REQUEST)
    times.push(ms)
    if (status !== 200) {
      const what = problem ?? `${status} ${code}`
      lost[what] = (lost[what] ?? 0) + 1
    }
    const pause = pauseMs * (0.5 + Math.random())
    if (running) await delay(Math.max(0, pause - ms))
  }
  connection.close()
}

process.on('message', async (message) => {
  if (message === 'start') {
    running = true
    times = []
    lost = {}
    clients = Array.from({ length: count }, (_, i) => client(i))
    process.send({ started: performance.now() })
  } else {
    running = false
    await Promise.all(clients)
    process.send({ ...spread(times), lost })
  }
})
process.on('disconnect', () => process.exit(0))
