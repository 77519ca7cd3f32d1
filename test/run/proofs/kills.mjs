import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { drawing } from '../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { bytesOf, writeCorpus } from './corpus.mjs'

const HELP = `inlet run, killed: two workers make the same shards all the time, and one of them is killed at a random
moment, again and again. The lines of every other shard come as chats too. After each kill no output under its name may be other than a clean run's, and at the end there
is nothing else.

  npm run build && node test/run/proofs/kills.mjs [--gigabytes 2 --shards 50 --kills 30]`

const flags = flagsOf(HELP, { gigabytes: 0.05, shards: 8, kills: 6, to: 'ids', seed: 1 })
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
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

/** The lines of every other file as chats: prompts, of which the completions alone are trained. */
function chatsOf(paths) {
  return paths
    .filter((_, i) => i % 2 === 0)
    .map((path) => {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      const chats = lines.map((line) => ({ prompt: line.slice(0, 40), completion: line.slice(40) }))
      const file = path.replace('.txt', '.jsonl')
      writeFileSync(file, chats.map((chat) => `${JSON.stringify(chat)}\n`).join(''))
      return file
    })
}

/** A clean run, and one that finds all done. @returns the hashes of its files, and its seconds */
async function clean(paths) {
  const out = join(folder, 'clean')
  const began = performance.now()
  const [code] = await start(paths, out).ended
  must(code === 0, `a clean run ended with ${code}`)
  const seconds = (performance.now() - began) / 1000
  const hashes = await hashesIn(out)
  const kept = start(paths, out)
  await kept.ended
  const states = kept.lines().trim().split('\n')
  must(
    states.every((line) => JSON.parse(line).state === 'kept'),
    'a second run must keep all',
  )
  const size = `${paths.length} shards, ${(bytesOf(paths) / 1e9).toFixed(2)} GB`
  console.log(`${size} in ${seconds.toFixed(1)} s; a second run keeps all`)
  return { hashes, seconds }
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
  if (flags.to === 'ids') paths.push(...chatsOf(paths))
  await killed(paths, await clean(paths))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
end(failures)
