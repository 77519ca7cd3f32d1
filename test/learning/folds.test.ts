import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { seedCard } from '../../src/first-layer/cards/seed-card.js'
import { openJournals } from '../../src/learning/disk/open-journals.js'
import type { JournalCall } from '../../src/learning/journal.js'
import { Learners } from '../../src/learning/learners.js'
import { Learning } from '../../src/learning/learning.js'
import { localLearners } from '../../src/learning/remote-learners.js'
import { cardSchema } from '../../src/models/cards/card-fields.js'
import { Keeper } from '../../src/models/keeper/keeper.js'
import { localMaker } from '../../src/models/keeper/maker.js'
import { onesFor } from '../http/learning/trainer.js'
import { tableFile } from '../http/models/table-files.js'

const [V, C] = [2400, 1024]
/** Rows of a call: 5 MB of gradients. */
const ROWS = 1280

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-folds-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const journals = () =>
  openJournals({ DATA_DIR: folder, DATA_QUOTA_BYTES: 2 ** 40, LEARNING_SYNC: 'interval' })
const files = () => readdirSync(join(folder, 'learning', 'a')).sort()

/** Two models that learn on a disk. `piece` is awaited before each piece of a fold. */
async function two(piece: (number: number) => Promise<void>) {
  const learners = new Learners(journals())
  const local = localLearners(learners)
  let pieces = 0
  const foldSome: typeof local.foldSome = async (...args) => {
    await piece(++pieces)
    return local.foldSome(...args)
  }
  const threads = {
    count: 1,
    put: async () => ({ drained: Promise.resolve() }),
    drop: async () => ({ drained: Promise.resolve() }),
  }
  const keeper = new Keeper(threads as never, localMaker, { maxTableBytes: 2 ** 30 })
  const notFolded = vi.fn()
  const learning = new Learning(keeper.learning, { ...local, foldSome }, undefined, { notFolded })
  for (const [id, rows] of [
    ['a', V],
    ['b', 8],
  ] as const) {
    const fields = { vocab_size: rows, embedding_dim: C, position_embedding: 'none' }
    await keeper.make(seedCard(id, cardSchema.parse(fields)))
    await learning.begin(id, { type: 'sgd', lr: 1 })
  }
  const next: Record<string, number> = {}
  const call = (id: 'a' | 'b', kind: JournalCall['kind'] = 'gradients') => {
    const sequence = (next[id] ?? 0) + 1
    next[id] = sequence
    const ids = Array.from({ length: id === 'a' ? ROWS : 1 }, (_, i) => i)
    const body = kind === 'step' ? Buffer.alloc(0) : tableFile(onesFor(ids, C))
    return learning.call(id, { kind, writer: 'w', sequence, digest: '', options: {}, body }, null)
  }
  return { learning, call, notFolded, pieces: () => pieces }
}

/** What the learner of `a` has when a process begins again. */
function reopened() {
  const again = new Learners(journals())
  const card = seedCard(
    'a',
    cardSchema.parse({ vocab_size: V, embedding_dim: C, position_embedding: 'none' }),
  )
  const { facts } = again.reopen(card)
  again.close()
  return facts.state
}

test('a fold is made after its call, in pieces; others’ calls come between, the model’s own wait', async () => {
  const opens: (() => void)[] = []
  const { call, learning, pieces, notFolded } = await two(
    () => new Promise((resolve) => void opens.push(resolve)),
  )
  for (let i = 0; i < 4; i++) await call('a') // 21 MB of log: longer than the checkpoint
  await vi.waitFor(() => expect(opens).toHaveLength(1))
  const waiting = call('a')
  let hasComeToo = false
  void waiting.then(() => {
    hasComeToo = true
  })
  for (let piece = 1; ; piece++) {
    expect((await call('b')).pending).toBe(piece)
    expect([files().includes('checkpoint.1.safetensors'), hasComeToo]).toEqual([false, false])
    opens[piece - 1]!()
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (opens.length === piece) break
  }
  expect(pieces()).toBeGreaterThan(1)
  expect((await waiting).pending).toBe(5)
  expect(files()).toEqual(expect.arrayContaining(['checkpoint.1.safetensors', 'log.1']))
  expect(files().join()).not.toMatch(/aside|\.0/)
  expect(statSync(join(folder, 'learning', 'a', 'log.1')).size).toBeLessThan(6e6)
  await learning.close()
  expect(notFolded).not.toHaveBeenCalled()
  expect([reopened().pending, reopened().writers]).toEqual([5, { w: 5 }])
}, 60_000)

test('a process that ends within a fold has its log', async () => {
  const { call, learning, pieces } = await two(async (number) => {
    if (number > 1) await learning.close()
  })
  for (let i = 0; i < 4; i++) await call('a')
  await vi.waitFor(() => expect(pieces()).toBe(2))
  expect(files()).toContain('checkpoint.1.aside')
  expect([reopened().pending, files().join()]).toEqual([4, expect.not.stringMatching('aside')])
}, 60_000)

test('calls that wait while the log is long fold it once', async () => {
  const { call, learning, pieces, notFolded } = await two(async () => {})
  await Promise.all(Array.from({ length: 7 }, () => call('a')))
  await learning.describe('a') // after all turns so far
  await vi.waitFor(() => expect(files()).toContain('log.1'))
  await learning.describe('a')
  expect(files()).not.toContain('log.2')
  expect(notFolded).not.toHaveBeenCalled()
  expect(pieces()).toBeGreaterThan(2)
  await learning.close()
}, 60_000)
