// 1 GiB of FP32 over /v2 and over /v1: the same bytes, in constant memory. Then 16 MiB answers of both routes in turn.
// Needs `npm run build`. Usage: node test/clients/oip/large.mjs
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'

const ENV = { HOST: '127.0.0.1', PORT: '0', THREADS: '1', POSITION_EMBEDDING: 'none' }
const server = spawn(process.execPath, ['dist/server.js'], {
  env: { ...process.env, ...ENV },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const port = await new Promise((resolve) => {
  let log = ''
  server.stdout.on('data', (chunk) => {
    log += chunk
    const found = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(log)
    if (found !== null) resolve(Number(found[1]))
  })
})

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
const residentMiB = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024

/** Sends a request and gives each chunk of its answer to `take`, the JSON before the tensor's bytes left out. */
async function ask({ path, headers, body }, take) {
  const request = http.request({
    port,
    agent,
    method: 'POST',
    path,
    headers: { ...headers, 'content-length': body.length },
  })
  request.end(body)
  const [answer] = await once(request, 'response')
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`)
  let skipped = Number(answer.headers['inference-header-content-length'] ?? 0)
  let bytes = -skipped
  for await (const chunk of answer) {
    bytes += chunk.length
    const part = chunk.subarray(Math.min(skipped, chunk.length))
    skipped -= chunk.length - part.length
    take(part)
  }
  if (
    bytes !==
    Number(answer.headers['content-length']) - Number(answer.headers['inference-header-content-length'] ?? 0)
  ) {
    throw new Error(`${path}: not as long as it says`)
  }
  return bytes
}

/** Both routes' requests for [count, 1024, 256] float32: windows of one stretch of ids. */
function requests(count) {
  const length = 1024 + count
  const ids = Buffer.alloc(8 * length)
  for (let i = 0; i < length; i++) ids.writeInt32LE((7919 * i) % 50_257, 8 * i)
  const json = Buffer.from(
    JSON.stringify({
      parameters: { context_length: 1024, stride: 1 },
      inputs: [
        {
          name: 'input_ids',
          shape: [length],
          datatype: 'INT64',
          parameters: { binary_data_size: ids.length },
        },
      ],
      outputs: [{ name: 'input_embeddings', parameters: { binary_data: true } }],
    }),
  )
  const list = Array.from({ length }, (_, i) => (7919 * i) % 50_257)
  return {
    v2: {
      path: '/v2/models/default/infer',
      headers: { 'inference-header-content-length': String(json.length) },
      body: Buffer.concat([json, ids]),
    },
    v1: {
      path: '/v1/input-embeddings',
      headers: { 'content-type': 'application/json', accept: 'application/octet-stream' },
      body: Buffer.from(
        JSON.stringify({ input_ids: list, context_length: 1024, stride: 1, outputs: ['input_embeddings'] }),
      ),
    },
  }
}

try {
  const large = requests(1024)
  const digests = {}
  for (const route of ['v1', 'v2']) {
    const hash = createHash('sha256')
    const before = residentMiB()
    let most = before
    let chunks = 0
    const bytes = await ask(large[route], (chunk) => {
      hash.update(chunk)
      if (chunks++ % 256 === 0) most = Math.max(most, residentMiB())
    })
    digests[route] = hash.digest('hex')
    console.log(`${route}: ${bytes} bytes, the service grew by ${Math.round(most - before)} MiB`)
    if (bytes !== 2 ** 30) throw new Error('not 1 GiB')
    if (most - before > 128) throw new Error('not in constant memory')
  }
  if (digests.v1 !== digests.v2) throw new Error('other bytes')

  const small = requests(16)
  const times = { v1: [], v2: [] }
  for (let round = 0; round < 60; round++) {
    for (const route of ['v1', 'v2']) {
      const started = performance.now()
      await ask(small[route], () => {})
      if (round >= 10) times[route].push(performance.now() - started)
    }
  }
  const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1]
  const [v1, v2] = [median(times.v1), median(times.v2)]
  console.log(
    `16 MiB: /v1 ${v1.toFixed(2)} ms, /v2 ${v2.toFixed(2)} ms, ${(v1 / v2).toFixed(2)} of the native route`,
  )
} finally {
  agent.destroy()
  server.kill()
}
