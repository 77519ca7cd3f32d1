import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryOf } from '../../attacks/harness/process-state.mjs'
import { randomFrom } from '../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { startService } from '../../attacks/harness/service.mjs'
import { said, send, spread } from './client.mjs'

const HELP = `Reading: batches [16, 1024] at random places of a large dataset, two in flight; /tokens beside \`cat\` into a socket;
batches in order to one client; a start with a thousand datasets beside one with none.

  npm run build && node test/datasets/proofs/reading.mjs [--tokens 2000000000]`

const flags = flagsOf(HELP, { tokens: 2e8, batches: 400, rounds: 3, datasets: 1000, 'mb-above': 150 })
const MIB = 2 ** 20
const [ROWS, T] = [16, 1024]
const IDS = { 'Content-Type': 'application/octet-stream' }
const failures = []
const must = (holds, message) => holds || failures.push(message)
const folder = mkdtempSync(join(tmpdir(), 'inlet-reading-'))
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const median = (numbers) => spread(numbers).p50

function* ids(tokens) {
  const random = randomFrom(3)
  const block = Uint16Array.from({ length: MIB }, () => 50_000 * random())
  for (let left = tokens; left > 0; left -= MIB) {
    block[0] = left % 50_000
    yield Buffer.from(block.slice(0, Math.min(MIB, left)).buffer)
  }
}

/** Runs `one` for 0 … count − 1, `atOnce` side by side: the milliseconds of each. */
async function times(count, atOnce, one) {
  const all = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const started = performance.now()
      const { status, body } = await one(next++)
      all.push(performance.now() - started)
      must(status === 200, `a batch: ${status} ${body.subarray(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return all
}

/** Reads a connection to its end: { bytes, seconds }. */
async function drain(port, request) {
  const started = performance.now()
  const socket = connect(port, '127.0.0.1')
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  if (request) socket.write(request)
  await once(socket, 'close')
  return { bytes, seconds: (performance.now() - started) / 1000 }
}

async function large() {
  const dir = join(folder, 'large')
  const service = await startService({ env: { DATA_DIR: dir } })
  const { port, pid } = service
  const uploaded = await send(port, '/v1/datasets?dtype=uint16', { headers: IDS, body: ids(flags.tokens) })
  must(uploaded.status === 201, `upload: ${uploaded.status} ${uploaded.body.subarray(0, 200)}`)
  console.log(`uploaded ${flags.tokens} ids: ${((flags.tokens * 2) / 1e3 / uploaded.ms).toFixed(0)} MB/s`)
  const { id, num_tokens: tokens } = said(uploaded)
  must(tokens === flags.tokens, `${tokens} tokens`)
  const get = (index, query, accept) =>
    send(port, `/v1/datasets/${id}/batches/${index}?context_length=${T}&batch_size=${ROWS}&${query}`, {
      ...{ method: 'GET', headers: { Accept: accept }, agent },
    })
  const random = 'shuffle=index&seed=1'
  const contenders = {
    raw: (i) => get(i, `${random}&outputs=input_ids`, 'application/octet-stream'),
    safetensors: (i) => get(i, random, 'application/vnd.safetensors'),
  }
  for (const one of Object.values(contenders)) await times(50, 2, one)
  const before = memoryOf(pid).rss
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid).rss)
  }, 20)
  for (const [name, one] of Object.entries(contenders)) {
    const { p50, p99 } = spread(await times(flags.batches, 2, one))
    console.log(
      `random [${ROWS}, ${T}] as ${name}, two in flight: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms`,
    )
  }
  const ordered = []
  for (let i = 0; i < flags.rounds; i++) {
    const list = await times(50, 1, (k) =>
      get(8 * k, 'num_batches=8&outputs=input_ids', 'application/octet-stream'),
    )
    ordered.push((50 * 8 * ROWS * T) / (list.reduce((sum, ms) => sum + ms, 0) / 1000))
  }
  console.log(
    `eight batches in order an answer, one client: ${(median(ordered) / 1e6).toFixed(1)} million tokens/s`,
  )
  await tokensBesideCat(service, id, join(dir, 'datasets', id, 'tokens.bin'))
  clearInterval(watch)
  console.log(`memory: ${Math.round(before / MIB)} MiB, at most ${Math.round(peak / MIB)} MiB`)
  must(peak - before < flags['mb-above'] * MIB, `memory rose by ${Math.round((peak - before) / MIB)} MiB`)
  service.kill()
  await service.exited
}

async function tokensBesideCat({ port }, id, file) {
  const cat = createServer((socket) => {
    const child = spawn('cat', [file], { stdio: ['ignore', socket, 'inherit'] })
    child.once('exit', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(cat, 'listening')
  const request = `GET /v1/datasets/${id}/tokens HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
  const [ours, theirs] = [[], []]
  for (let i = 0; i < flags.rounds; i++) {
    for (const [list, of] of [
      [ours, await drain(port, request)],
      [theirs, await drain(cat.address().port)],
    ]) {
      must(of.bytes >= 2 * flags.tokens, `${of.bytes} bytes came`)
      list.push(of.bytes / of.seconds / 1e6)
    }
  }
  cat.close()
  const [own, other] = [median(ours), median(theirs)]
  console.log(
    `/tokens ${own.toFixed(0)} MB/s, cat ${other.toFixed(0)} MB/s, ratio ${(own / other).toFixed(2)}`,
  )
}

async function starts() {
  const dirs = [join(folder, 'none'), join(folder, 'thousand')]
  const service = await startService({ env: { DATA_DIR: dirs[1] } })
  const upload = (i) =>
    send(service.port, '/v1/datasets?dtype=uint16', {
      headers: IDS,
      body: [Buffer.from(Uint16Array.of(i, 1).buffer)],
      agent,
    })
  const list = await Promise.all(Array.from({ length: flags.datasets }, (_, i) => upload(i)))
  must(
    list.every(({ status }) => status === 201),
    'each small dataset must be taken',
  )
  service.kill()
  await service.exited
  const took = dirs.map(() => [])
  for (let round = 0; round < 2 * flags.rounds - 1; round++) {
    for (const [i, DATA_DIR] of dirs.entries()) {
      const started = performance.now()
      const one = await startService({ env: { DATA_DIR } })
      took[i].push(performance.now() - started)
      one.kill()
      await one.exited
    }
  }
  const [none, many] = took.map(median)
  console.log(
    `start: ${none.toFixed(0)} ms with no dataset, ${many.toFixed(0)} ms with ${flags.datasets}, ratio ${(many / none).toFixed(2)}`,
  )
}

await large()
await starts()
agent.destroy()
rmSync(folder, { recursive: true })
end(failures)
