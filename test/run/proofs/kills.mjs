import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { memoryOf, processorSecondsOf } from '../../attacks/harness/process-state.mjs'
import { drawing } from '../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { bytesOf, writeCorpus } from './corpus.mjs'

const HELP = `inlet run, killed: two workers make the same shards all the time, and one of them is killed at a random
moment, again and again. After each kill no output under its name may be other than a clean run's, and at the end there
is nothing else. And its speed, by turns with the tokenizer's kernel alone in as many threads.

  npm run build && npm run build:modules && node test/run/proofs/kills.mjs [--gigabytes 2 --shards 50 --kills 30]`

const flags = flagsOf(HELP, { gigabytes: 0.05, shards: 8, kills: 6, rounds: 1, to: 'ids', seed: 1 })
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const THREADS = availableParallelism()
const { random, upTo } = drawing(flags.seed)
const failures = []
const must = (holds, message) => holds || failures.push(message)
const folder = mkdtempSync(join(tmpdir(), 'inlet-kills-'))

function start(paths, out) {
  const args = [
    MAIN,
    'run',
    ...paths,
    out,
    '--to',
    flags.to,
    '--documents',
    'lines',
    '--document-end',
    'endoftext',
  ]
  const child = spawn(process.execPath, [...args, '--quiet'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let lines = ''
  child.stdout.on('data', (text) => {
    lines += text
  })
  return { child, lines: () => lines, ended: once(child, 'close') }
}

async function hashesIn(out) {
  const hashes = new Map()
  for (const name of readdirSync(out, { recursive: true }).sort()) {
    if (/(^|\/)\.aside-/.test(name) || !statSync(join(out, name), { throwIfNoEntry: false })?.isFile())
      continue
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(out, name)), hash)
    hashes.set(name, hash.digest('hex'))
  }
  return hashes
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

async function kernel(text) {
  const bytes = Math.min(2e8, (flags.gigabytes * 1e9) / THREADS)
  const url = new URL('./kernel-thread.mjs', import.meta.url)
  const workers = Array.from({ length: THREADS }, () => new Worker(url, { workerData: { text, bytes } }))
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  return {
    /** MB/s of all threads at once, and MB for each second of a core. */
    async measure() {
      const before = process.cpuUsage()
      for (const worker of workers) worker.postMessage('go')
      const done = await Promise.all(workers.map((worker) => once(worker, 'message')))
      const { user, system } = process.cpuUsage(before)
      const wall = done.reduce((sum, [{ bytes, seconds }]) => sum + bytes / 1e6 / seconds, 0)
      return { wall, core: done.reduce((sum, [{ bytes }]) => sum + bytes, 0) / (user + system) }
    },
    end: () => Promise.all(workers.map((worker) => worker.terminate())),
  }
}

/** Clean runs by turns with the kernel. @returns the hashes of a clean run's files, and its seconds */
async function clean(paths, text) {
  const bytes = bytesOf(paths)
  const own = await kernel(text)
  const speeds = { kernel: [], run: [] }
  let peak = 0
  let seconds = 0
  let hashes
  for (let round = 0; round < flags.rounds; round++) {
    speeds.kernel.push(await own.measure())
    const out = join(folder, `clean-${round}`)
    const began = performance.now()
    const worker = start(paths, out)
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryOf(worker.child.pid)?.rss ?? 0)
      seconds = processorSecondsOf(worker.child.pid) || seconds
    }, 20)
    const [code] = await worker.ended
    clearInterval(watch)
    speeds.run.push({ wall: bytes / 1e3 / (performance.now() - began), core: bytes / 1e6 / seconds })
    must(code === 0, `a clean run ended with ${code}`)
    speeds.kernel.push(await own.measure())
    const found = await hashesIn(out)
    must(hashes === undefined || same(hashes, found), 'two clean runs differ')
    hashes = found
    if (round > 0) rmSync(out, { recursive: true })
  }
  await own.end()
  const of = (kind, what) => median(speeds[kind].map((each) => each[what]))
  const figures = ['wall', 'core'].map((what) => {
    const [speed, alone] = [of('run', what), of('kernel', what)]
    const unit = what === 'wall' ? 'MB/s with start' : 'MB a second of a core'
    return `${speed.toFixed(1)} ${unit}, the kernel alone ${alone.toFixed(1)}, ratio ${(speed / alone).toFixed(2)}`
  })
  const size = `${paths.length} shards, ${(bytes / 1e9).toFixed(2)} GB, ${THREADS} threads`
  console.log(`${size}: ${figures.join('; ')}; memory at most ${Math.round(peak / 2 ** 20)} MiB`)
  const again = performance.now()
  const kept = start(paths, join(folder, 'clean-0'))
  await kept.ended
  const states = kept
    .lines()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).state)
  must(
    states.every((state) => state === 'kept'),
    'a second run must keep all',
  )
  const keptSpeed = bytes / 1e3 / (performance.now() - again)
  console.log(`a second run keeps all: ${keptSpeed.toFixed(0)} MB/s`)
  return { hashes, seconds: bytes / 1e6 / of('run', 'wall') }
}

function same(a, b) {
  return a.size === b.size && [...a].every(([name, hash]) => b.get(name) === hash)
}

async function killed(paths, { hashes, seconds }) {
  let kills = 0
  let rounds = 0
  while (kills < flags.kills) {
    const out = join(folder, `killed-${rounds++}`)
    mkdirSync(out)
    const workers = [start(paths, out), start(paths, out)]
    while (kills < flags.kills) {
      const victim = upTo(2)
      await Promise.race([
        delay(random() * 1000 * Math.min(4, Math.max(0.6, seconds))),
        workers[victim].ended,
      ])
      if (workers.some(({ child }) => child.exitCode !== null)) break // all is done
      workers[victim].child.kill('SIGKILL')
      await workers[victim].ended
      kills++
      for (const [name, hash] of await hashesIn(out))
        must(hashes.get(name) === hash, `after kill ${kills}: ${name} is other than a clean run's`)
      workers[victim] = start(paths, out)
    }
    for (const { ended } of workers) {
      const [code] = await ended
      must(code === 0, `a worker ended with ${code}`)
    }
    await start(paths, out).ended // removes what the killed ones have left aside
    const found = await hashesIn(out)
    must(same(hashes, found), `round ${rounds}: ${found.size} files, a clean run has ${hashes.size}`)
    const aside = readdirSync(out, { recursive: true }).filter((name) => name.includes('.aside-'))
    must(aside.length === 0, `left aside: ${aside}`)
    rmSync(out, { recursive: true })
  }
  console.log(
    `${kills} kills in ${rounds} rounds of two workers on the same shards: the bytes of a clean run`,
  )
}

try {
  const { gigabytes, shards, seed } = flags
  const paths = writeCorpus({ folder: join(folder, 'in'), shards, bytes: gigabytes * 1e9, seed: seed + 1 })
  const { readFileSync } = await import('node:fs')
  const text = readFileSync(paths[0], 'utf8').slice(0, 16_000_000)
  await killed(paths, await clean(paths, text))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
end(failures)
