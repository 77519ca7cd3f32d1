import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bytesOf, type SharedTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../../../../src/models/entry.js'
import { unloaded } from '../../../../src/models/entry.js'
import { Keeper } from '../../../../src/service/models/keeper/keeper.js'
import { localMaker } from '../../../../src/service/models/keeper/maker.js'
import { MAX_MODELS } from '../../../../src/service/models/keeper/registry.js'
import { cardOf } from '../cards.js'

/** Bytes of the tables of a card of `cards.ts`. */
const BYTES = (8 + 2) * 4 * 4

/** A keeper, what it has told, and readers that hold what is superseded. */
function keeping(maxTableBytes = 10 * BYTES) {
  const told: string[] = []
  const held: { release: () => void }[] = []
  const isReading = { now: false }
  const drained = () => {
    if (!isReading.now) return Promise.resolve()
    return new Promise<void>((resolve) => held.push({ release: resolve }))
  }
  const made: SharedTables[] = []
  const maker = {
    ...localMaker,
    fill: async (...given: Parameters<typeof localMaker.fill>) => {
      made.push(given[1])
      await nextTurn() // another thread does it
      await localMaker.fill(...given)
    },
    copy: async (...given: Parameters<typeof localMaker.copy>) => {
      await nextTurn() // another thread does it
      await localMaker.copy(...given)
    },
  }
  const threads = {
    count: 1,
    publish(topic: string, value: unknown) {
      const { card, state, lastVersion } = value as ModelEntry
      told.push(topic === 'model' ? `${card.id} ${state} ${lastVersion}` : `${value} gone`)
      return { received: Promise.resolve(), drained: drained() }
    },
  }
  return { keeper: new Keeper(threads, maker, { maxTableBytes }), told, held, isReading, made }
}

const wte = { name: 'wte.weight', shape: [8, 4], dtype: 'float32' } as const

async function exchange(keeper: Keeper, value: number, ifVersion?: number): Promise<ModelEntry> {
  const { upload, tables } = await keeper.openUpload({ id: 'a', tables: [wte], ifVersion })
  numbers(tables, 'wte.weight').fill(value)
  return keeper.commitUpload(upload, 'abc')
}

function numbers(tables: SharedTables, name: string): Float32Array {
  const bytes = bytesOf(tables, tables.places.find((place) => place.name === name)!)
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

describe('the keeper', () => {
  test('makes an equal card once, and refuses another card of that id', async () => {
    const { keeper, told } = keeping()
    const both = await Promise.all([keeper.make(cardOf('a')), keeper.make(cardOf('a'))])
    expect(both.map(({ made }) => made)).toEqual([true, false])
    expect(both.map(({ entry }) => entry.state)).toEqual(['ready', 'ready'])
    expect(told).toEqual(['a unloaded 0', 'a loading 0', 'a ready 1'])
    const { entry, made } = await keeper.make(cardOf('a', { seed: 123, init_std: 1 }))
    expect([made, entry.version?.number]).toEqual([false, 1])
    await expect(keeper.make(cardOf('a', { seed: 5 }))).rejects.toMatchObject({ code: 'model_exists' })
  })

  test('removes a model that could not be made', async () => {
    const { keeper, told } = keeping(BYTES - 1)
    await expect(keeper.make(cardOf('a'))).rejects.toMatchObject({
      code: 'insufficient_memory',
      message: `All tables together must be at most ${BYTES - 1} bytes, MAX_TABLE_BYTES. They would be ${BYTES}.`,
    })
    expect(keeper.entries()).toEqual([])
    expect(told.at(-1)).toBe('a gone')
  })

  test('evicts the model used least recently, never one with uploaded tables', async () => {
    const { keeper } = keeping(3 * BYTES)
    for (const id of ['a', 'b', 'c']) await keeper.make(cardOf(id))
    await exchange(keeper, 1)
    keeper.noteUse('b')
    await keeper.make(cardOf('d'))
    const states = () => Object.fromEntries(keeper.entries().map(({ card, state }) => [card.id, state]))
    expect(states()).toEqual({ a: 'ready', b: 'ready', c: 'unloaded', d: 'ready' })
    keeper.noteUse('b')
    await keeper.load('c')
    expect(states()).toEqual({ a: 'ready', b: 'ready', c: 'ready', d: 'unloaded' })
    const large = cardOf('e', { vocab_size: 30 }) // a alone may stay, and is in the way
    await expect(keeper.make(large)).rejects.toMatchObject({ code: 'insufficient_memory' })
    expect(states()).toEqual({ a: 'ready', b: 'ready', c: 'ready', d: 'unloaded' })
  })

  test('does not evict a model that is exchanged while another needs its room', async () => {
    const { keeper } = keeping(2 * BYTES)
    await keeper.make(cardOf('a'))
    await keeper.make(cardOf('b'))
    const { upload, tables } = await keeper.openUpload({ id: 'a', tables: [wte] })
    numbers(tables, wte.name).fill(6)
    const exchanged = keeper.commitUpload(upload, 'x')
    const made = keeper.make(cardOf('c')).catch((error: Error) => error)
    await exchanged
    await made
    expect(keeper.entries()[0]).toMatchObject({ state: 'ready', version: { number: 2 } })
  })

  test('counts models being made and uploads toward the limit', async () => {
    const { keeper } = keeping(2.5 * BYTES)
    const makes = ['a', 'b', 'c'].map((id) => keeper.make(cardOf(id)))
    const settled = await Promise.allSettled(makes)
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    const states = keeper.entries().map(({ state }) => state)
    expect(states.sort()).toEqual(['ready', 'ready', 'unloaded']) // the third one has waited, and taken another's room
    await keeper.load('a')
    await keeper.openUpload({ id: 'a', tables: [wte] })
    await keeper.openUpload({ id: 'a', tables: [wte] }) // the other one goes for it
    const another = () => keeper.openUpload({ id: 'b', tables: [wte] })
    await expect(another()).rejects.toMatchObject({ code: 'insufficient_memory' })
  })

  test('loads wait for room while other models are made, one after the other', async () => {
    const { keeper, told } = keeping(1.5 * BYTES)
    const ids = ['a', 'b', 'c', 'd', 'e']
    for (const id of ids) await keeper.add(unloaded(cardOf(id), 'folder'))
    told.length = 0
    const calls = Array.from({ length: 60 }, (_, i) => keeper.load(ids[i % ids.length]))
    const settled = await Promise.allSettled(calls)
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
    let held = 0
    for (const line of told) {
      if (line.includes('loading')) held++
      if (line.includes('unloaded')) held--
      expect(held).toBeLessThanOrEqual(1)
    }
  })

  test('refuses a model that can never fit at once', async () => {
    const { keeper } = keeping(2 * BYTES)
    let isMade = false
    const making = keeper.make(cardOf('a')).then(() => {
      isMade = true
    })
    const large = cardOf('large', { vocab_size: 30 })
    await expect(keeper.make(large)).rejects.toMatchObject({ code: 'insufficient_memory' })
    expect(isMade).toBe(false)
    await making
  })

  test('refuses at once a model that cannot fit beside uploaded tables', async () => {
    const { keeper } = keeping(2 * BYTES)
    await keeper.make(cardOf('a'))
    await exchange(keeper, 1)
    const making = keeper.make(cardOf('b'))
    const large = cardOf('c', { vocab_size: 18 })
    await expect(keeper.make(large)).rejects.toMatchObject({ code: 'insufficient_memory' })
    expect((await making).entry.state).toBe('ready')
  })

  test('loads a model later that found no room before', async () => {
    const { keeper } = keeping(BYTES)
    await keeper.make(cardOf('a'))
    await keeper.add(unloaded(cardOf('b'), 'folder'))
    await exchange(keeper, 1) // it may not go
    await expect(keeper.load('b')).rejects.toMatchObject({ code: 'insufficient_memory' })
    expect(keeper.entries()[1].state).toBe('unloaded')
    await keeper.remove('a')
    expect((await keeper.load('b')).state).toBe('ready')
  })

  test('callers of two models that evict each other share one load', async () => {
    const { keeper, made } = keeping(BYTES)
    for (const id of ['a', 'b']) await keeper.add(unloaded(cardOf(id), 'folder'))
    const calls = Array.from({ length: 50 }, (_, i) => keeper.load(i % 2 === 0 ? 'a' : 'b'))
    await Promise.allSettled(calls)
    await nextTurn()
    expect(made.length).toBeLessThanOrEqual(4)
  })

  test('refuses the model after the thousandth', async () => {
    const { keeper } = keeping()
    for (let i = 0; i < MAX_MODELS; i++) await keeper.add(unloaded(cardOf(`m${i}`), 'folder'))
    await expect(keeper.make(cardOf('a'))).rejects.toMatchObject({
      code: 'insufficient_memory',
      param: 'model',
    })
    expect(keeper.entries()).toHaveLength(MAX_MODELS)
  })

  test('a model with an unreadable card stays failed, with its reason', async () => {
    const { keeper } = keeping()
    const error = { code: 'model_failed', message: 'no JSON' } as const
    const broken = { ...unloaded(cardOf('a'), 'folder'), state: 'failed', hasNoCard: true, error } as const
    await keeper.add(broken)
    for (const act of [() => keeper.load('a'), () => exchange(keeper, 1)]) {
      await expect(act()).rejects.toMatchObject({
        code: 'model_failed',
        message: expect.stringContaining('no JSON'),
      })
    }
    expect(await keeper.unload('a')).toEqual(broken)
  })

  test('does not evict the model loaded last', async () => {
    const { keeper } = keeping(2 * BYTES)
    await keeper.add(unloaded(cardOf('a'), 'folder'))
    await keeper.make(cardOf('b'))
    await keeper.load('a')
    await keeper.make(cardOf('c'))
    expect(keeper.entries().map(({ state }) => state)).toEqual(['ready', 'unloaded', 'ready'])
  })

  test('exchanges some tables, keeps the others, and counts the version on', async () => {
    const { keeper } = keeping()
    const before = (await keeper.make(cardOf('a'))).entry.version!
    const positions = numbers(before.tables, 'wpe.weight').slice()
    const { version } = await exchange(keeper, 7)
    expect(version).toMatchObject({ number: 2, sha256: 'abc' })
    expect([...numbers(version!.tables, 'wte.weight')]).toEqual(new Array(32).fill(7))
    expect(numbers(version!.tables, 'wpe.weight')).toEqual(positions)
  })

  test('checks the expected version when an exchange begins and when it is committed', async () => {
    const { keeper } = keeping()
    await keeper.make(cardOf('a'))
    const late = await keeper.openUpload({ id: 'a', tables: [wte], ifVersion: 1 })
    await exchange(keeper, 1, 1)
    await expect(exchange(keeper, 2, 1)).rejects.toMatchObject({ code: 'precondition_failed' })
    await expect(keeper.commitUpload(late.upload, 'x')).rejects.toMatchObject({ code: 'precondition_failed' })
    expect(keeper.entries()[0].version?.number).toBe(2)
  })

  test('two exchanges at once both take effect, one with a table of the scheme', async () => {
    const { keeper } = keeping()
    const architecture = {
      architecture: 't5',
      position_embedding: { type: 't5', num_heads: 2, num_buckets: 8 },
    }
    await keeper.make(cardOf('a', architecture))
    const bias = { name: 'position.relative_attention_bias', shape: [8, 2], dtype: 'float32' } as const
    const rows = await keeper.openUpload({ id: 'a', tables: [wte] })
    const learned = await keeper.openUpload({ id: 'a', tables: [bias] })
    numbers(rows.tables, wte.name).fill(1)
    numbers(learned.tables, bias.name).fill(2)
    await keeper.commitUpload(learned.upload, 'x')
    const { version } = await keeper.commitUpload(rows.upload, 'y')
    expect(numbers(version!.tables, wte.name)).toEqual(new Float32Array(32).fill(1))
    expect(numbers(version!.tables, bias.name)).toEqual(new Float32Array(16).fill(2))
    const memories = new Set<unknown>()
    for (let i = 0; i < 6; i++) memories.add((await exchange(keeper, i)).version?.tables.memory)
    expect(memories.size).toBeLessThanOrEqual(3) // one of the old layout is not kept in their way
  })

  test('refuses an upload whose model was deleted and made again', async () => {
    const { keeper } = keeping()
    await keeper.make(cardOf('a'))
    const { upload } = await keeper.openUpload({ id: 'a', tables: [wte] })
    await keeper.remove('a')
    await keeper.make(cardOf('a', { vocab_size: 5, embedding_dim: 2 }))
    await expect(keeper.commitUpload(upload, 'x')).rejects.toMatchObject({ code: 'model_not_found' })
    expect(keeper.entries()[0].version?.number).toBe(1)
  })

  test('a commit loads the model again if it was unloaded during the upload', async () => {
    const { keeper } = keeping()
    await keeper.make(cardOf('a'))
    const { upload, tables } = await keeper.openUpload({ id: 'a', tables: [wte] })
    numbers(tables, wte.name).fill(4)
    await keeper.unload('a')
    const { version } = await keeper.commitUpload(upload, 'x')
    expect(version?.number).toBe(3)
    expect(numbers(version!.tables, wte.name)[31]).toBe(4)
  })

  test('exchanges alternate between two memories, and never write to one in use', async () => {
    const { keeper, held, isReading } = keeping()
    await keeper.make(cardOf('a'))
    const memories = new Set<unknown>()
    for (let i = 0; i < 10; i++) memories.add((await exchange(keeper, i)).version?.tables.memory)
    expect(memories.size).toBe(2)
    isReading.now = true
    const first = (await exchange(keeper, 10)).version!.tables // its predecessor is read now
    const second = (await exchange(keeper, 11)).version!.tables
    const third = (await exchange(keeper, 12)).version!.tables
    expect(new Set([first.memory, second.memory, third.memory]).size).toBe(3)
    expect(numbers(first, 'wte.weight')[0]).toBe(10)
    isReading.now = false
    for (const { release } of held) release()
  })

  test('an unloaded model is drawn from its seed again, as the next version', async () => {
    const { keeper, made } = keeping()
    await keeper.make(cardOf('a'))
    await exchange(keeper, 3)
    const entry = await keeper.unload('a')
    expect(entry).toMatchObject({ state: 'unloaded', lastVersion: 2 })
    expect(entry.version).toBeUndefined()
    const { version } = await keeper.load('a')
    expect(version?.number).toBe(3)
    expect(version?.sha256).toBeUndefined()
    expect(numbers(version!.tables, 'wte.weight')).toEqual(numbers(made[0], 'wte.weight'))
  })

  test('refuses to delete a model of the configuration', async () => {
    const { keeper } = keeping()
    await keeper.add(unloaded(cardOf('a'), 'folder'))
    await expect(keeper.remove('a')).rejects.toMatchObject({ code: 'model_in_use' })
    await keeper.make(cardOf('b'))
    await keeper.remove('b')
    await expect(keeper.remove('b')).rejects.toMatchObject({ code: 'model_not_found' })
    await expect(keeper.load('b')).rejects.toMatchObject({ message: expect.stringContaining('"a"') })
  })

  test('refuses the ninth upload at once', async () => {
    const { keeper } = keeping(100 * BYTES)
    await keeper.make(cardOf('a'))
    const plan = { id: 'a', tables: [wte] }
    const open = await Promise.all(Array.from({ length: 8 }, () => keeper.openUpload(plan)))
    await expect(keeper.openUpload(plan)).rejects.toMatchObject({ code: 'overloaded' })
    await keeper.abandonUpload(open[0].upload)
    await keeper.openUpload(plan)
  })
})
