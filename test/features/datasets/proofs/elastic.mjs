import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endWithUs } from '../../../attacks/harness/keeper.mjs'
import { randomFrom } from '../../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../../attacks/harness/script.mjs'
import { freePort } from '../../../bench/harness/service.mjs'
import { startReplica } from './replica.mjs'
import { appearances, corpora } from './unique-ids.mjs'

const HELP = `Runs of training that are killed again and again and go on with another number of ranks (1, 8, 3, …), under two
replicas of the service on one DATA_DIR that are killed too: the SHA-256 over the global stream must be that of one
undisturbed run, no window twice, none lost.

  npm run build && node test/features/datasets/proofs/elastic.mjs`

const flags = flagsOf(HELP, { kills: 20, batches: 400, seed: 1 })
const OUTPUTS = ['input_ids', 'target_ids', 'segment_ids', 'position_ids']
const WORLD_SIZES = [1, 8, 3, 24, 2, 12, 4, 6]
const T = 64
const ROWS = 24
const BATCH_BYTES = OUTPUTS.length * ROWS * T * 4

const folder = mkdtempSync(join(tmpdir(), 'inlet-elastic-'))
const random = randomFrom(flags.seed)
const failures = []
const ports = [await freePort(), await freePort()]
let replicas = []

const start = (i) => startReplica(ports[i], folder)
async function killReplica(i) {
  replicas[i].kill('SIGKILL')
  await once(replicas[i], 'exit')
}
async function startBoth() {
  await killReplica(0)
  replicas = [await start(0), await start(1)]
}
/** The changes of services before each life of the trainer. */
const EVENTS = [
  [0.25, 'one of two is killed', () => killReplica(0)],
  [0.45, 'it is started again', async () => (replicas[0] = await start(0))],
  [0.55, 'the other one is killed', () => killReplica(1)],
  [0.75, 'both are started anew', startBoth],
]

/** Starts a trainer; killed once it has done `after` batches, unless it ends before. */
async function life(run, worldSize, from, to, file, after = Number.POSITIVE_INFINITY, during = () => {}) {
  const setting = JSON.stringify({ ...run, ports, outputs: OUTPUTS, worldSize, from, to, file })
  const child = spawn(process.execPath, [fileURLToPath(new URL('trainer.mjs', import.meta.url)), setting], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endWithUs(child)
  let done = 0
  child.stdout.on('data', (chunk) => {
    done += chunk.toString().split('\n').length - 1
    if (done >= after / 2) during()
    if (done >= after) child.kill('SIGKILL')
  })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`a trainer ended with ${code}`)
  return signal === 'SIGKILL'
}

/** The whole run, killed `kills` times: what a batch was not written of entirely is done again. */
async function killed(run, total, file) {
  let [kills, redone] = [0, 0]
  const events = EVENTS.map(([share, said, act]) => ({ at: Math.round(share * flags.kills), said, act }))
  for (let number = 0; ; number++) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    const whole = Math.min(total, Math.floor(size / BATCH_BYTES))
    if (size > whole * BATCH_BYTES && whole < total) truncateSync(file, whole * BATCH_BYTES)
    if (size > whole * BATCH_BYTES) redone++
    const event = events.find(({ at }) => at === number)
    let happening
    const during = () => (happening ??= event?.act()) // while the ranks read
    const left = flags.kills - kills
    const after =
      left > 0 ? Math.max(1, Math.round(((total - whole) / (left + 1)) * (0.5 + random()))) : undefined
    const worldSize = WORLD_SIZES[number % WORLD_SIZES.length]
    const isKilled = await life(run, worldSize, whole, total, file, after, during)
    await (happening ?? event?.act())
    if (!isKilled) return { kills, redone }
    kills++
  }
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

replicas = [await start(0), await start(1)]
for (const { name, dataset, query, members, numBatches } of await corpora(ports[0], T, ROWS)) {
  const run = { dataset, query: { ...query, context_length: T, batch_size: ROWS } }
  const total = numBatches ?? flags.batches
  const [plain, broken] = [join(folder, `${name}-whole`), join(folder, `${name}-killed`)]
  for (const file of [plain, broken]) writeFileSync(file, '')
  await life(run, 1, 0, total, plain)
  const { kills, redone } = await killed(run, total, broken)
  const [expected, found] = [sha256(plain), sha256(broken)]
  console.log(`${name}: ${total} batches, ${kills} kills (${redone} in a write), ${found.slice(0, 16)}…`)
  if (found !== expected) failures.push(`${name}: the stream is ${found}, undisturbed ${expected}`)
  if (kills !== flags.kills) failures.push(`${name}: ${kills} kills`)
  const { said, problem } = appearances(readFileSync(broken), {
    T,
    ROWS,
    outputs: OUTPUTS,
    members,
    numBatches,
  })
  console.log(`  ${said}`)
  if (problem) failures.push(`${name}: ${problem}`)
}
for (const [, said] of EVENTS) console.log(`  in each run: ${said}`)
for (const replica of replicas) replica.kill('SIGKILL')
rmSync(folder, { recursive: true })
end(failures)
