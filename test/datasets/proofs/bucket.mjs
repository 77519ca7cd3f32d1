import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { memoryOf } from '../../attacks/harness/process-state.mjs'
import { randomFrom } from '../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { freePort } from '../../bench/harness/service.mjs'
import { said, send, spread } from './client.mjs'
import { startReplica } from './replica.mjs'
import { faultyProxy, KEYS, startStorage } from './storage-server.mjs'

const HELP = `Datasets in a bucket of a real server (MinIO's binary, or moto in a Python), read by three replicas beside one that has
the same dataset on its disk: whole, slow (100 ms a request), with 500, SlowDown and bodies cut off now and then, and while the
server is killed and started. Every answer must be the disk's bytes and tag, or 503 storage_unavailable.

  npm run build && node test/datasets/proofs/bucket.mjs --minio /path/to/minio
  npm run build && node test/datasets/proofs/bucket.mjs --python /path/to/python`

const flags = flagsOf(HELP, { minio: '', python: '', tokens: 1.6e7, batches: 300, seed: 1 })
const [ROWS, T] = [8, 256]
const random = randomFrom(flags.seed)
const folder = mkdtempSync(join(tmpdir(), 'inlet-bucket-'))
const failures = []
const must = (holds, message) => holds || failures.push(message)
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const ACCEPT = { Accept: 'application/vnd.safetensors' }

const storage = await startStorage({
  minio: flags.minio,
  python: flags.python,
  folder: join(folder, 'minio'),
})
const faults = { slowMs: 0, share: 0 }
const proxy = await faultyProxy(storage.port, faults)
const env = { ...KEYS, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${proxy.port}` }
const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()])
const [disk, ...others] = ports
let caches = 0
const bucketReplica = (port) =>
  startReplica(port, 's3://proof/of/datasets', { ...env, DATA_CACHE_DIR: join(folder, `cache-${caches++}`) })
await startReplica(disk, join(folder, 'data'))
const replicas = await Promise.all(others.map(bucketReplica))
const idleMb = memoryOf(replicas[0].pid)

const ids = Uint32Array.from({ length: flags.tokens }, () => 50_000 * random())
const bytes = Buffer.from(ids.buffer)
const upload = (port) =>
  send(port, '/v1/datasets?dtype=uint32', {
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes.length },
    body: pieces(),
  })
function* pieces() {
  for (let at = 0; at < bytes.length; at += 1 << 20) yield bytes.subarray(at, at + (1 << 20))
}
const [onDisk, inBucket] = [await upload(disk), await upload(others[0])]
const { id } = said(onDisk)
must(said(inBucket).id === id && inBucket.status === 201, `the upload: ${inBucket.status} ${inBucket.body}`)
console.log(
  `upload of ${bytes.length / 1e6} MB: disk ${Math.round(onDisk.ms)} ms, bucket ${Math.round(inBucket.ms)} ms`,
)

const query = `context_length=${T}&batch_size=${ROWS}&shuffle=index&seed=7&drop_last=true`
const path = (i) => `/v1/datasets/${id}/batches/${i}?${query}`
const numBatches = Math.floor(Math.ceil(flags.tokens / T) / ROWS) - 1
const known = new Map()
async function expected(i) {
  if (!known.has(i)) {
    const { body, headers } = await send(disk, path(i), { method: 'GET', headers: ACCEPT, agent })
    known.set(i, [createHash('sha256').update(body).digest('hex'), headers.etag])
  }
  return known.get(i)
}

/** Reads batches at random from the replicas in turn, two in flight; every answer is looked at. */
async function read(title, count, targets = others, from = numBatches) {
  const sums = { right: 0, away: 0, wrong: 0 }
  const times = []
  const { requests, broken } = proxy.counts
  let left = count
  async function one() {
    while (left-- > 0) {
      const i = Math.floor(from * random())
      const answer = await send(targets[left % targets.length], path(i), {
        method: 'GET',
        headers: ACCEPT,
        agent,
      })
      const [sha256, etag] = await expected(i)
      const isRight =
        answer.status === 200 && createHash('sha256').update(answer.body).digest('hex') === sha256
      if (isRight && answer.headers.etag === etag) {
        sums.right++
        times.push(answer.ms)
      } else if (answer.status === 503 && said(answer).error.code === 'storage_unavailable') sums.away++
      else if (sums.wrong++ < 3)
        failures.push(`${title}: ${answer.status} ${answer.problem ?? answer.body.subarray(0, 200)}`)
    }
  }
  await Promise.all([one(), one()])
  const { p50, p99, max } = spread(times.length > 0 ? times : [0])
  const asked = `${proxy.counts.requests - requests} requests to the bucket, ${proxy.counts.broken - broken} of them broken`
  const took = `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms`
  console.log(`${title}: ${sums.right} right, ${sums.away} × 503, ${sums.wrong} wrong; ${took}; ${asked}`)
  return { ...sums, p50, p99 }
}

const cold = await read('cold', flags.batches)
must(cold.away === 0, 'a bucket that answers was away')
Object.assign(faults, { share: 0.15 })
must((await read('15 % of requests broken', flags.batches)).away === 0, 'faults now and then were seen')
faults.share = 0

// A replica with an empty cache each, so that the bucket is asked.
async function fresh() {
  const port = await freePort()
  await bucketReplica(port)
  return port
}
const slow = await fresh()
faults.slowMs = 100
must((await read('100 ms a request, cold', 60, [slow])).away === 0, 'a slow bucket was away')
Object.assign(faults, { slowMs: 20, share: 0.3 })
await read('20 ms a request and 30 % broken, cold', 100, [await fresh()])
Object.assign(faults, { slowMs: 0, share: 0 })

const cut = await fresh()
await read('before the server is killed', 20, [cut])
await storage.stop()
const away = await read('the server is killed', 12, [cut])
must(away.away > 0, 'nobody saw that the server was away')
const stillThere = await send(others[0], '/health/ready', { method: 'GET' })
must(stillThere.status === 200, 'readiness went with the bucket')
if (flags.minio !== '') {
  await storage.start()
  await new Promise((resolve) => setTimeout(resolve, 3000))
  must((await read('the server is there again', 60, [cut])).away === 0, 'it did not come back')

  // Warm: every block of a beginning of the epoch's order is read once; then by turns with the bare range.
  const few = 100
  await Promise.all(
    Array.from({ length: few }, (_, i) =>
      send(others[0], path(i), { method: 'GET', headers: ACCEPT, agent }),
    ),
  )
  const { Contents } = await storage.client.send(new ListObjectsV2Command({ Bucket: 'proof' }))
  const { Key } = Contents.find(({ Key: key }) => key.endsWith('tokens.bin'))
  async function bare(count) {
    const times = []
    let left = count
    async function one() {
      while (left-- > 0) {
        const at = Math.floor((bytes.length - 16_384) * random())
        const started = performance.now()
        const command = new GetObjectCommand({ Bucket: 'proof', Key, Range: `bytes=${at}-${at + 16_383}` })
        await (await storage.client.send(command)).Body.transformToByteArray()
        times.push(performance.now() - started)
      }
    }
    await Promise.all([one(), one()])
    return spread(times)
  }
  for (let round = 0; round < 3; round++) {
    const warm = await read(`warm ${round}`, flags.batches, [others[0]], few)
    const ofDisk = await read(`disk ${round}`, flags.batches, [disk], few)
    const range = await bare(flags.batches)
    console.log(
      `  p50 and p99 beside a bare range of 16 KiB (${range.p50.toFixed(1)}, ${range.p99.toFixed(1)} ms): ${(warm.p50 / range.p50).toFixed(2)} ×, ${(warm.p99 / range.p99).toFixed(2)} ×; beside the disk: ${(warm.p50 / ofDisk.p50).toFixed(2)} ×, ${(warm.p99 / ofDisk.p99).toFixed(2)} ×`,
    )
  }
}
console.log(`memory at the start, in the end:`, idleMb, memoryOf(replicas[0].pid))
rmSync(folder, { recursive: true, force: true })
end(failures)
