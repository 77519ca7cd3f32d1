import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryOf } from '../../../attacks/harness/process-state.mjs'
import { randomFrom } from '../../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../../attacks/harness/script.mjs'
import { startService } from '../../../attacks/harness/service.mjs'
import { said, send, spread, uploadIds } from './client.mjs'

const HELP = `Uploads: memory and speed with a large text, beside the tokenizer's own speed in the same run; the service
killed in the middle of one; a full disk (a tmpfs, where this user may mount one); the same twice at once; a quota that
several want at once.

  npm run build && node test/features/datasets/proofs/uploads.mjs [--gigabytes 10]`

const MIB = 2 ** 20
/** The large text repeats this. */
const PIECE_BYTES = 16 * MIB
/** A text's windows alone, in one thread: little besides its tokens is computed. */
const TOKENIZED = '/v1/input-embeddings?context_length=1024&outputs=window_starts'
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' }
const flags = flagsOf(HELP, { gigabytes: 1, 'mb-above': 150 })
const failures = []
const must = (holds, message) => holds || failures.push(message)
const folder = mkdtempSync(join(tmpdir(), 'inlet-uploads-'))

/** Lines of words, at least so many bytes. */
function* text(bytes, seed = 1) {
  const random = randomFrom(seed)
  const letters = 'etaoinshrdlucmfwypvbgkjqxzéüж'
  const word = () =>
    Array.from({ length: 1 + Math.floor(9 * random()) }, () => letters[Math.floor(29 * random() ** 2)])
  const words = Array.from({ length: 5000 }, () => word().join(''))
  for (let sent = 0; sent < bytes; ) {
    const some = Array.from({ length: 20_000 }, () => words[Math.floor(5000 * random() ** 2)])
    const part = Buffer.from(`${some.join(' ')}.\n`)
    sent += part.length
    yield part
  }
}

const datasetsIn = (dir) => readdirSync(join(dir, 'datasets'))
function bytesIn(dir) {
  const root = join(dir, 'datasets')
  const names = readdirSync(root, { recursive: true }).map((name) => statSync(join(root, name)))
  return names.reduce((sum, facts) => sum + (facts.isFile() ? facts.size : 0), 0)
}

async function withService(env, run) {
  const service = await startService({ env })
  try {
    return await run(service)
  } finally {
    service.kill()
    await service.exited
  }
}

async function largeText() {
  const dir = join(folder, 'large')
  await withService({ DATA_DIR: dir }, async (service) => {
    const some = Buffer.concat([...text(PIECE_BYTES)])
    function* large(bytes) {
      for (let sent = 0; sent < bytes; sent += some.length) yield some
    }
    const upload = (bytes) =>
      send(service.port, '/v1/datasets?encoding=gpt2', { headers: TEXT, body: large(bytes) })
    const tokenize = () => send(service.port, TOKENIZED, { headers: TEXT, body: [some] })
    const first = await tokenize()
    must(first.status === 200, `tokenized alone: ${first.status} ${first.body.subarray(0, 200)}`)
    await upload(some.length)
    const before = memoryOf(service.pid).rss
    let peak = 0
    const look = () => {
      peak = Math.max(peak, memoryOf(service.pid)?.rss ?? 0)
    }
    const times = [(await tokenize()).ms]
    const watch = setInterval(look, 50)
    const bytes = Math.ceil((flags.gigabytes * 1e9) / some.length) * some.length
    const answer = await upload(bytes)
    clearInterval(watch)
    for (let i = 0; i < 4; i++) times.push((await tokenize()).ms)
    must(answer.status === 201, `upload: ${answer.status} ${answer.body.subarray(0, 300)}`)
    const own = some.length / 1e3 / spread(times).p50
    const uploaded = bytes / 1e3 / answer.ms
    console.log(
      `${flags.gigabytes} GB of text: ${uploaded.toFixed(1)} MB/s, tokenized alone ${own.toFixed(1)} MB/s, ` +
        `ratio ${(uploaded / own).toFixed(2)}; ${said(answer).num_tokens} tokens; ` +
        `memory ${Math.round(before / MIB)} MiB before, at most ${Math.round(peak / MIB)} MiB`,
    )
    must(peak - before < flags['mb-above'] * MIB, `memory rose by ${Math.round((peak - before) / MIB)} MiB`)
  })
  rmSync(dir, { recursive: true })
}

async function killedInTheMiddle() {
  const dir = join(folder, 'killed')
  await withService({ DATA_DIR: dir }, async (service) => {
    const upload = send(service.port, '/v1/datasets?encoding=gpt2', { headers: TEXT, body: text(400 * MIB) })
    while (bytesIn(dir) < 20 * MIB) await delay(20)
    service.kill()
    must((await upload).status === 0, 'an upload to a killed service must not be answered')
  })
  must(datasetsIn(dir).length === 1, 'the unfinished folder must be there before the next start')
  await withService({ DATA_DIR: dir }, async (service) => {
    must(datasetsIn(dir).length === 0, `left behind: ${datasetsIn(dir)}`)
    must(service.log().includes('unfinished upload has been removed'), 'the log must name what was removed')
    const again = await send(service.port, '/v1/datasets?encoding=gpt2', { headers: TEXT, body: text(MIB) })
    must(again.status === 201, `after it: ${again.status}`)
    const left = send(service.port, '/v1/datasets?encoding=gpt2', {
      headers: { ...TEXT, 'Content-Length': 9 * MIB },
      body: text(MIB, 5),
    })
    await delay(500)
    must(datasetsIn(dir).length <= 2, 'one folder an upload')
    void left // whose client never sends the rest
  })
  console.log('killed in the middle: nothing is left after the next start, and the log says so')
}

async function fullDisk() {
  const dir = join(folder, 'full')
  execFileSync('mkdir', ['-p', dir])
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    console.log('a full disk: not run, this user may not mount a tmpfs')
    return
  }
  try {
    await withService({ DATA_DIR: dir }, async (service) => {
      const ids = (seed) => (first, count) =>
        Uint32Array.from({ length: count }, (_, i) => (first + i) ^ seed)
      const answers = await Promise.all([1, 2].map((seed) => uploadIds(service.port, 20e6, ids(seed))))
      for (const answer of answers)
        must(
          answer.status === 507 || answer.status === 0,
          `a full disk: ${answer.status} ${answer.body.subarray(0, 200)}`,
        )
      must(datasetsIn(dir).length === 0, `left on a full disk: ${datasetsIn(dir)}`)
      const small = await uploadIds(service.port, 1e6, ids(3))
      must(small.status === 201, `after a full disk: ${small.status} ${small.body.subarray(0, 200)}`)
      const [size, disk] = [said(small).size_bytes, bytesIn(dir)]
      console.log(
        `a full disk: ${answers.map(({ status, problem }) => problem ?? status).join(', ')}; a smaller one after it ${small.status}, ${size} of ${disk} bytes`,
      )
    })
  } finally {
    execFileSync('umount', [dir])
  }
}

async function twiceAtOnce() {
  const dir = join(folder, 'twice')
  const quota = 100e6
  await withService({ DATA_DIR: dir, DATA_QUOTA_BYTES: String(quota) }, async (service) => {
    const ids = (seed) => (first, count) =>
      Uint32Array.from({ length: count }, (_, i) => (first + i + 7 * seed) % 50_000)
    const same = await Promise.all(Array.from({ length: 4 }, () => uploadIds(service.port, 2e6, ids(0))))
    const statuses = same.map(({ status }) => status).sort()
    must(statuses.join() === '200,200,200,201', `the same four times: ${statuses}`)
    must(new Set(same.map((answer) => said(answer).id)).size === 1, 'one id')
    must(datasetsIn(dir).length === 1 && bytesIn(dir) < 8.1e6, `the disk has ${bytesIn(dir)} bytes`)
    const several = await Promise.all(
      Array.from({ length: 8 }, (_, i) => uploadIds(service.port, 7.5e6, ids(i + 1))),
    )
    const kinds = several.map(({ status, problem }) => problem ?? status).join(' ')
    const taken = several.filter(({ status }) => status === 201).length
    const left = datasetsIn(dir).filter((name) => name.startsWith('.'))
    must(bytesIn(dir) <= quota && left.length === 0, `${bytesIn(dir)} bytes of ${quota}, ${left}`)
    must(taken + 1 === datasetsIn(dir).length, 'a folder for each that was taken')
    for (let i = 20; ; i++) {
      const next = await uploadIds(service.port, 7.5e6, ids(i))
      if (next.status === 201) continue
      must(next.status === 507 || next.status === 0, `a full quota: ${next.status}`)
      break
    }
    must(bytesIn(dir) > quota - 32e6 && bytesIn(dir) <= quota, `the quota must be used: ${bytesIn(dir)}`)
    console.log(
      `the same four times at once: ${statuses}; eight of 30 MB under 92 MB at once: ${kinds}; then filled to ${bytesIn(dir)} of ${quota}`,
    )
  })
}

await killedInTheMiddle()
await fullDisk()
await twiceAtOnce()
await largeText()
rmSync(folder, { recursive: true })
end(failures)
