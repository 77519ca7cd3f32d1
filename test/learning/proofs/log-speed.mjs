import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flagsOf } from '../../attacks/harness/script.mjs'
import { safetensors } from './trainer.mjs'

const HELP = `How fast calls of gradients are appended to a log, beside a bare write and fdatasync of the same bytes, in
turns; and how long a restart takes to replay them.

  npm run build && node test/learning/proofs/log-speed.mjs [--megabytes 256] [--sync always|interval]`

const flags = flagsOf(HELP, { megabytes: 256, sync: 'always', folder: tmpdir() })
const build = (path) => import(new URL(`../../../build/${path}`, import.meta.url).href)
const { openJournals } = await build('learning/disk/open-journals.js')
const { Learners } = await build('learning/learners.js')
const { seedCard } = await build('first-layer/cards/seed-card.js')
const { CARD_DEFAULTS } = await build('first-layer/cards/sizes.js')
const { parametersOf } = await build('first-layer/cards/parameters.js')
const { allocateTables } = await build('first-layer/embeddings/table-memory.js')

const DATA_DIR = mkdtempSync(join(flags.folder, 'inlet-log-'))
const variables = { DATA_DIR, DATA_QUOTA_BYTES: 2 ** 40, LEARNING_SYNC: flags.sync }
const card = seedCard('measured', { ...CARD_DEFAULTS, vocab_size: 50_257, embedding_dim: 256 })
const tables = () => allocateTables(parametersOf(card), card.embeddingDim, 1)
const middle = (times) => [...times].sort((a, b) => a - b)[times.length >> 1]

function bodyOf(length) {
  const rows = Float32Array.from({ length: length * 256 }, (_, i) => Math.sin(i))
  const ids = Int32Array.from({ length }, (_, i) => (i * 7919) % 50_257)
  return safetensors({
    gradients: { dtype: 'F32', shape: [1, length, 256], bytes: Buffer.from(rows.buffer) },
    input_ids: { dtype: 'I32', shape: [1, length], bytes: Buffer.from(ids.buffer) },
  })
}

const learners = new Learners(openJournals(variables))
const optimizer = { type: 'sgd', lr: 0.1 }
learners.begin({ card, optimizer, present: tables(), version: 1, copy: tables() })
learners.close()

const journals = openJournals(variables)
const { journal } = journals.reopen(card, { restore: () => undefined, again() {} })
mkdirSync(join(DATA_DIR, 'bare'))
const bare = openSync(join(DATA_DIR, 'bare', 'file'), 'w')
let sequence = 0
let position = 0
for (const length of [16, 64, 256, 1024]) {
  const body = bodyOf(length)
  const count = Math.max(16, Math.min(200, Math.floor((flags.megabytes * 2 ** 20) / 4 / body.length)))
  const times = { log: [], bare: [] }
  const timed = (name, work) => {
    const begun = performance.now()
    work()
    times[name].push(performance.now() - begun)
  }
  for (let i = 0; i < count; i++) {
    const digest = (++sequence).toString(16).padStart(64, '0')
    const call = { kind: 'gradients', writer: 'a', sequence, digest, options: {}, body }
    timed('log', () => journal.append(call))
    timed('bare', () => {
      position += writeSync(bare, body, 0, body.length, position)
      if (flags.sync === 'always') fdatasyncSync(bare)
    })
  }
  const speed = (name) => body.length / 1e3 / middle(times[name])
  console.log(
    `${body.length} bytes, ${flags.sync}: ${speed('log').toFixed(1)} MB/s in the log, ${speed('bare').toFixed(1)} bare, ` +
      `ratio ${(speed('log') / speed('bare')).toFixed(2)} (${middle(times.log).toFixed(2)} ms, ${middle(times.bare).toFixed(2)} ms)`,
  )
}
closeSync(bare)
const logBytes = journal.bytes
journals.close('measured')

const begun = performance.now()
const again = new Learners(openJournals(variables))
const { facts } = again.reopen(card)
const seconds = (performance.now() - begun) / 1000
console.log(
  `replay: ${(logBytes / 1e6).toFixed(0)} MB, ${facts.state.pending} calls in ${seconds.toFixed(2)} s with their checkpoint of 53 MB: ` +
    `${((1e9 * seconds) / logBytes).toFixed(1)} s for a gigabyte`,
)
again.close()
rmSync(DATA_DIR, { recursive: true })
