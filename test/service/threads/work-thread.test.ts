import '../../built.js'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ModelCard } from '../../../src/first-layer/cards/model-card.js'
import { parametersOf } from '../../../src/first-layer/cards/seed-card.js'
import {
  allocateTables,
  bytesOf,
  type SharedTables,
} from '../../../src/first-layer/embeddings/table-memory.js'
import { localMaker } from '../../../src/service/models/keeper/maker.js'
import { WorkThread } from '../../../src/service/process/work-thread.js'
import type { Making, Progress } from '../../../src/service/threads/make.js'

// The thread is the built one: dist/make.js.
const makerThread = (progress: Progress = { made() {} }) =>
  new WorkThread<Making>('make.js', { rooms: { progress } })

const CARD: ModelCard = {
  id: 'made',
  modelType: 'seed',
  tokenizer: { type: 'tiktoken', encoding: 'gpt2' },
  vocabSize: 5003,
  maxPositionEmbeddings: 33,
  typeVocabSize: 3,
  embeddingDim: 101,
  hiddenSize: 101,
  dtype: 'float32',
  architecture: 'bert',
  positionEmbedding: { type: 'learned_absolute' },
  source: { type: 'seed', seed: 2n ** 64n - 1n, initStd: 0.02 },
}

const allocate = (card: ModelCard) => allocateTables(parametersOf(card), card.embeddingDim, 2)

describe('the thread that makes tables', () => {
  it('draws the same bits as the local maker', async () => {
    const [here, there] = [allocate(CARD), allocate(CARD)]
    await localMaker.fill(CARD, here)
    await makerThread().work.fill(CARD, there)
    expect(here.places.map(({ name }) => name)).toEqual([
      'wte.weight',
      'wpe.weight',
      'wtt.weight',
      'norm.weight',
      'norm.bias',
    ])
    expect(bytes(there)).toEqual(bytes(here))
    expect(there.workspaces).toHaveLength(2)
  })

  it('draws a table’s numbers independently of the model’s other tables', async () => {
    const own = allocate(CARD)
    await localMaker.fill(CARD, own)
    const llama: ModelCard = { ...CARD, architecture: 'llama', positionEmbedding: { type: 'rope' } }
    const bare = allocate(llama)
    await makerThread().work.fill(llama, bare)
    expect(bare.places.map(({ name }) => name)).toEqual(['wte.weight'])
    expect(bytes(bare)[0]).toEqual(bytes(own)[0])
  })

  it('reports the share that is done', async () => {
    const shares: number[] = []
    const card = { ...CARD, vocabSize: 20_000 }
    const made = (id: string, share: number) => {
      expect(id).toBe('made')
      shares.push(share)
    }
    await makerThread({ made }).work.fill(card, allocate(card))
    expect(shares.length).toBeGreaterThan(3)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
  })

  it('copies and hashes, one job after the other', async () => {
    const maker = makerThread().work
    const [from, to] = [allocate(CARD), allocate(CARD)]
    const header = Buffer.from('header')
    const filled = maker.fill(CARD, from)
    const copied = maker.copy(from, to, ['wpe.weight'])
    const hashed = maker.hash(header, from)
    await Promise.all([filled, copied])
    expect(bytes(to)[1]).toEqual(bytes(from)[1])
    expect(bytes(to)[0]?.every((byte) => byte === 0)).toBe(true)
    const expected = createHash('sha256').update(header)
    for (const table of bytes(from)) expected.update(table)
    expect(await hashed).toBe(expected.digest('hex'))
  })

  it('reports a failed job and runs the next', async () => {
    const maker = makerThread().work
    const tables = allocate(CARD)
    await expect(maker.copy(tables, tables, ['none'])).rejects.toThrow('no none to copy')
    await maker.copy(tables, tables, ['wte.weight'])
  })

  it('cannot be given tables above 4 GiB', () => {
    expect(() => allocate({ ...CARD, embeddingDim: 2 ** 20, vocabSize: 2 ** 20 })).toThrow(RangeError)
  })
})

function bytes(tables: SharedTables): Buffer[] {
  return tables.places.map((place) => Buffer.from(bytesOf(tables, place)))
}
