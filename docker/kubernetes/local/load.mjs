#!/usr/bin/env node
// load.mjs URL [--clients 16] [--pause MILLISECONDS] [--model NAME]
//
// Calls a service until SIGINT or SIGTERM, then prints a line of JSON. Half of the clients keep their connection,
// half open one for each request. Every answer must be a 200 with the bytes of the first one. A connection that is
// refused carried no request: the client opens another one, and `refused` counts it.
import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: 'string', default: '16' },
    pause: { type: 'string', default: '20' },
    model: { type: 'string', default: 'default' },
  },
})
const url = new URL('/v1/input-embeddings', positionals[0])
const body = JSON.stringify({
  model: values.model,
  text: 'The same text for every replica. '.repeat(8),
  context_length: 4,
  allowed_special: [],
})
const RETRY_MS = 50
/** A request that waits longer has failed. */
const PATIENCE_MS = 15_000
/** Failures whose time is shown. */
const MOST_TIMES = 50

const counts = { kept: { ok: 0, failed: 0 }, fresh: { ok: 0, failed: 0 } }
const reasons = {}
const failedAt = []
const milliseconds = []
let refused = 0
let digest
let isOver = false
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isOver = true))

await Promise.all(Array.from({ length: Number(values.clients) }, (_, i) => client(i % 2 === 0)))
milliseconds.sort((a, b) => a - b)
const share = (of) => Number(milliseconds[Math.floor(of * (milliseconds.length - 1))]?.toFixed(1))
console.log(
  JSON.stringify({
    ...{ ...counts, refused, reasons, failedAt },
    ...{ ms: { p50: share(0.5), p99: share(0.99) }, digest },
  }),
)

async function client(keepsConnection) {
  const agent = new Agent({ keepAlive: keepsConnection, maxSockets: 1 })
  const count = keepsConnection ? counts.kept : counts.fresh
  while (!isOver) {
    const started = performance.now()
    try {
      const own = await call(agent)
      digest ??= own
      if (own !== digest) throw new Error('other bytes')
      count.ok++
      milliseconds.push(performance.now() - started)
    } catch (error) {
      if (error.code === 'ECONNREFUSED') {
        refused++
        await sleep(RETRY_MS)
        continue
      }
      count.failed++
      const reason = `${keepsConnection ? 'kept' : 'fresh'}: ${error.code ?? error.message}`
      reasons[reason] = (reasons[reason] ?? 0) + 1
      if (failedAt.length < MOST_TIMES) failedAt.push(new Date().toISOString().slice(11, 23))
    }
    await sleep(Number(values.pause))
  }
  agent.destroy()
}

/** Resolves to the SHA-256 of the answer's bytes. */
function call(agent) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/octet-stream' }
    const sent = request(url, { method: 'POST', agent, headers, timeout: PATIENCE_MS }, (answer) => {
      const hash = createHash('sha256')
      answer.on('data', (chunk) => hash.update(chunk))
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(hash.digest('hex').slice(0, 16))
        else reject(new Error(`status ${answer.statusCode}`))
      })
      answer.on('aborted', () => reject(new Error('the answer was cut')))
      answer.on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
    sent.on('error', reject)
    sent.end(body)
  })
}
