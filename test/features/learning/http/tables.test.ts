import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parsedSafetensors } from '../../../library/safetensors.js'
import { AUTHORIZATION, type ManagedService, managedService } from '../../../managed.js'
import { tableFile } from '../../../table-files.js'
import { onesFor, Trainer } from './trainer.js'

const ROWS = 1000
const DIM = 16
/** Bytes of a model's tables. */
const TABLE = 4 * ROWS * DIM
const CARD = { vocab_size: ROWS, embedding_dim: DIM, position_embedding: 'none' }
const SGD = { type: 'sgd', lr: 1 }
/** The environment's model and `book`. */
const LITTLE = 64 * 1024

let service: ManagedService
let trainer: Trainer

async function begin(maxTableBytes = 2 ** 26) {
  service = await managedService({ MAX_TABLE_BYTES: String(maxTableBytes) })
  trainer = new Trainer(service.app, 'small')
  await trainer.send('PUT', '', CARD)
}
afterEach(() => service.close())

const errorOf = ({ status, body }: { status: number; body: { error: { code: string } } }) => [
  status,
  body.error?.code,
]

describe('the model that learns', () => {
  beforeEach(() => begin())

  test('says so, and that steps have made its tables', async () => {
    const before = (await trainer.send('GET')).body
    expect([before.learning, before.tables.source]).toEqual([null, 'seed'])
    await trainer.begin(SGD)
    await trainer.gradients(onesFor([1], DIM))
    const pending = (await trainer.send('GET')).body
    expect(pending.tables.source).toBe('seed')
    expect(pending.learning).toEqual({
      optimizer: {
        type: 'sgd',
        lr: 1,
        momentum: 0,
        dampening: 0,
        nesterov: false,
        weight_decay: 0,
        tables: ['wte.weight'],
      },
      step: 0,
      pending: 1,
      state_bytes: 0,
      checkpoint: null,
    })
    await trainer.step()
    const stepped = (await trainer.send('GET')).body
    expect([stepped.tables, stepped.learning.step, stepped.model_version]).toEqual([
      { source: 'learned' },
      1,
      '2',
    ])
    await trainer.send('DELETE', 'optimizer')
    const ended = (await trainer.send('GET')).body
    expect([ended.tables, ended.learning, ended.model_version]).toEqual([{ source: 'learned' }, null, '2'])
  })

  test('has tables with an ETag of their version; uploads and unloads are 409 until learning ends', async () => {
    await trainer.begin(SGD)
    const first = await trainer.send('GET', 'tables')
    await trainer.gradients(onesFor([1], DIM))
    await trainer.step()
    const second = await trainer.send('GET', 'tables')
    expect(first.headers.etag).toMatch(/^"1-/)
    expect(second.headers.etag).toMatch(/^"2-/)
    const known = await trainer.send('GET', 'tables', undefined, {
      'if-none-match': String(second.headers.etag),
    })
    expect(known.status).toBe(304)
    const type = { 'content-type': 'application/vnd.safetensors' }
    expect(errorOf(await trainer.send('PUT', 'tables', second.file, type))).toEqual([409, 'optimizer_exists'])
    expect(errorOf(await trainer.send('POST', 'unload'))).toEqual([409, 'optimizer_exists'])
    await trainer.send('DELETE', 'optimizer')
    expect((await trainer.send('PUT', 'tables', second.file, type)).status).toBe(200)
    expect((await trainer.send('GET')).body.tables.source).toBe('upload')
  })

  test('an upload that began before is refused at its end', async () => {
    const { admin } = service.models
    const opened = await admin.openUpload({
      id: 'small',
      tables: [{ name: 'wte.weight', shape: [ROWS, DIM], dtype: 'float32' }],
    })
    await trainer.begin(SGD)
    await expect(admin.commitUpload(opened.upload, 'x')).rejects.toMatchObject({ code: 'optimizer_exists' })
    expect((await trainer.send('GET')).body.model_version).toBe('1')
  })

  test('a batch of a reader, its neighbours and its ETags follow the version', async () => {
    await trainer.begin(SGD)
    const rows = async () =>
      (
        await service.app.inject({
          method: 'POST',
          url: '/v1/input-embeddings',
          payload: { model: 'small', input_ids: [7, 8], outputs: ['input_embeddings'] },
        })
      ).json()
    const near = async () =>
      (
        await service.app.inject({
          method: 'POST',
          url: '/v1/models/small/neighbors',
          payload: { input_ids: [7], k: 1, metric: 'dot' },
        })
      ).json()
    await near()
    for (let step = 1; step <= 4; step++) {
      const before = await rows()
      await trainer.gradients(onesFor([7], DIM, -50))
      await trainer.step()
      const after = await rows()
      expect(after.model_version).toBe(String(step + 1))
      const moved = (answer: typeof before, id: number): number[] =>
        answer.outputs.input_embeddings.data[0][id].map(Math.fround)
      expect(moved(after, 0)).toEqual(moved(before, 0).map((value) => Math.fround(value + 50)))
      expect(moved(after, 1)).toEqual(moved(before, 1))
      const { model_version: version, neighbors } = await near()
      const squares = moved(after, 0).reduce((sum, value) => sum + value ** 2, 0)
      expect([version, neighbors[0][0].id]).toEqual([String(step + 1), 7])
      expect(neighbors[0][0].score / squares).toBeCloseTo(1, 6)
    }
  })

  test('is removed by DELETE, with its optimizer', async () => {
    await trainer.begin(SGD)
    await trainer.gradients(onesFor([1], DIM))
    const steps = [trainer.step(), trainer.send('DELETE'), trainer.step()]
    const [first, gone, late] = await Promise.all(steps)
    expect(gone!.status).toBe(204)
    for (const step of [first!, late!]) expect([200, 404]).toContain(step.status) // whole, or not at all
    await trainer.send('PUT', '', CARD)
    expect(errorOf(await trainer.send('GET', 'optimizer'))).toEqual([404, 'optimizer_not_found'])
    expect((await trainer.begin(SGD)).status).toBe(201)
    expect((await trainer.send('GET', 'optimizer')).body).toMatchObject({
      step: 0,
      pending: 0,
      model_version: '1',
    })
  })
})

describe('MAX_TABLE_BYTES', () => {
  test('counts the learner’s tables, its states and the second copy', async () => {
    // Adam: the tables, their copies for the learner and for readers, two states.
    await begin(5 * TABLE - 1)
    const { status, body } = await trainer.begin({ type: 'adam' })
    expect([status, body.error.code]).toEqual([507, 'insufficient_memory'])
    expect(body.error.message).toContain(`tables ${TABLE}, states ${2 * TABLE}, gradients 0, copies ${TABLE}`)
    expect((await trainer.send('GET')).body.learning).toBeNull()
    expect((await trainer.begin({ type: 'adam', rows: [1] })).status).toBe(201)
  })

  test('counts gradients by row; those that do not fit are refused, and nothing is added', async () => {
    await begin(3 * TABLE + LITTLE / 2)
    expect((await trainer.begin(SGD)).status).toBe(201)
    const all = Array.from({ length: ROWS }, (_, i) => i)
    const { status, body } = await trainer.gradients(onesFor(all, DIM))
    expect([status, body.error.code]).toEqual([507, 'insufficient_memory'])
    expect(body.error.message).toContain('gradients')
    expect((await trainer.send('GET', 'optimizer')).body.pending).toBe(0)
  })

  test('a model that learns is not evicted, others are', async () => {
    await begin(8 * TABLE + LITTLE)
    await trainer.begin(SGD)
    await trainer.gradients(onesFor([1], DIM))
    await trainer.step()
    const before = parsedSafetensors((await trainer.send('GET', 'tables')).file)
    for (let i = 0; i < 6; i++)
      await new Trainer(service.app, `other-${i}`).send('PUT', '', { ...CARD, seed: i })
    const states = (await service.app.inject({ url: '/v1/models', headers: AUTHORIZATION })).json().data
    expect(states.filter(({ state }: { state: string }) => state === 'unloaded').length).toBeGreaterThan(0)
    expect(parsedSafetensors((await trainer.send('GET', 'tables')).file)).toEqual(before)
    expect((await trainer.send('GET')).body).toMatchObject({ state: 'ready', model_version: '2' })
  })

  test('a checkpoint on its way gives its memory back', async () => {
    await begin(2 ** 26)
    await trainer.begin(SGD)
    for (let i = 0; i < 20; i++) expect((await trainer.checkpoint()).status).toBe(200)
    const file = (await trainer.checkpoint()).file
    for (let i = 0; i < 20; i++) expect((await trainer.restore(file)).status).toBe(200)
    const broken = tableFile({ 'wte.weight': { shape: [ROWS, DIM], numbers: new Array(ROWS * DIM).fill(0) } })
    for (let i = 0; i < 20; i++) expect((await trainer.restore(broken)).status).toBe(400)
  })
})
