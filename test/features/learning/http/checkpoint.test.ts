import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsedSafetensors } from '../../../library/safetensors.js'
import { type ManagedService, managedService } from '../../../managed.js'
import { rawFile, tableFile } from '../../../table-files.js'
import { onesFor, Trainer } from './trainer.js'

const CARD = { vocab_size: 6, embedding_dim: 2, max_position_embeddings: 4 }
const ADAMW = { type: 'adamw', lr: 0.1 }

let service: ManagedService
let made = 0
beforeAll(async () => {
  service = await managedService()
})
afterAll(() => service.close())

async function model(card: object = CARD): Promise<Trainer> {
  const trainer = new Trainer(service.app, `model-${++made}`)
  await trainer.send('PUT', '', card)
  return trainer
}

function metadataOf(file: Buffer): Record<string, string> {
  return JSON.parse(file.toString('utf8', 8, 8 + Number(file.readBigUInt64LE(0)))).__metadata__
}

describe.each([
  ['adamw', ADAMW],
  ['sgd of one table', { type: 'sgd', lr: 0.1, momentum: 0.5, tables: ['wpe.weight'] }],
  ['adagrad of some rows', { type: 'adagrad', rows: [1, 4] }],
])('a checkpoint under %s', (_, optimizer) => {
  test('put into another model continues to the same bits', async () => {
    const one = await model()
    await one.begin(optimizer)
    for (const ids of [[1, 2], [4], [0, 1]]) {
      await one.gradients(onesFor(ids, 2, 0.3))
      await one.step()
    }
    await one.gradients(onesFor([3, 1], 2, 0.7))
    await one.gradients(onesFor([5], 2, 0.1))
    const saved = await one.checkpoint()
    expect(saved.headers).toMatchObject({
      'content-length': String(saved.file.length),
      'content-type': 'application/vnd.safetensors',
      'x-model-version': '4',
    })
    expect(metadataOf(saved.file)).toMatchObject({ step: '3', model_version: '4', pending: '2' })

    const other = await model({ ...CARD, seed: 9 })
    const put = await other.restore(saved.file)
    expect([put.status, put.body.step, put.body.model_version]).toEqual([201, 3, '2'])
    const [learning, own] = [(await other.send('GET')).body.learning, (await one.send('GET')).body.learning]
    expect(learning).toEqual(own)
    for (const each of [one, other]) {
      await each.gradients(onesFor([2], 2, 0.2))
      const { status, body } = await each.step()
      expect([status, body.step], JSON.stringify(body)).toEqual([200, 4])
    }
    const [a, b] = [await one.checkpoint(), await other.checkpoint()]
    expect(parsedSafetensors(b.file)).toEqual(parsedSafetensors(a.file))
    const [ta, tb] = [await one.send('GET', 'tables'), await other.send('GET', 'tables')]
    expect(parsedSafetensors(tb.file)).toEqual(parsedSafetensors(ta.file))
    expect((await one.send('GET')).body.model_version).toBe('5')
    expect((await other.send('GET')).body.model_version).toBe('3')
  })
})

test('a checkpoint put back takes the model to where it was', async () => {
  const one = await model()
  await one.begin(ADAMW)
  await one.gradients(onesFor([1], 2))
  const saved = await one.checkpoint()
  const stepped = parsedSafetensors((await steppedTables(one)).file)
  const put = await one.restore(saved.file)
  expect([put.status, put.body.step, put.body.pending, put.body.model_version]).toEqual([200, 0, 1, '3'])
  expect(parsedSafetensors((await steppedTables(one)).file)).toEqual(stepped)
})

test('a checkpoint is kept nowhere without DATA_DIR', async () => {
  expect(service.config.DATA_DIR).toBeUndefined()
  const one = await model()
  await one.begin(ADAMW)
  const { status, body } = await one.send('POST', 'checkpoint')
  expect([status, body.error.code, body.error.message]).toEqual([
    422,
    'unsupported_combination',
    expect.stringContaining('DATA_DIR'),
  ])
})

async function steppedTables(trainer: Trainer) {
  expect((await trainer.step()).status).toBe(200)
  return trainer.send('GET', 'tables')
}

describe('a checkpoint that is refused changes nothing', () => {
  let trainer: Trainer
  let good: Buffer
  beforeAll(async () => {
    trainer = await model()
    await trainer.begin(ADAMW)
    await trainer.gradients(onesFor([1], 2))
    await trainer.step()
    good = (await trainer.checkpoint()).file
  })

  test.each<[string, (file: Buffer) => Buffer, string | null]>([
    ['is cut off', (file) => file.subarray(0, -1), null],
    ['has bytes behind its end', (file) => Buffer.concat([file, Buffer.alloc(1)]), null],
    ['is no safetensors', () => Buffer.from('no'), null],
    [
      'has no metadata',
      () => tableFile({ 'wte.weight': zeros(6, 2), 'wpe.weight': zeros(4, 2) }),
      '__metadata__.optimizer',
    ],
    ['has no table', (file) => without(file, 'wpe.weight'), 'wpe.weight'],
    ['has no state', (file) => without(file, 'optimizer.wte.weight.exp_avg'), 'optimizer.wte.weight.exp_avg'],
    [
      'is of another model',
      () => tableFile({ 'wte.weight': zeros(7, 2), 'wpe.weight': zeros(4, 2) }, metadataOf(good)),
      'wte.weight',
    ],
    ['has an optimizer that is none', (file) => withMetadata(file, { optimizer: '{"type":"lion"}' }), 'type'],
    ['counts too far', (file) => withMetadata(file, { step: '9007199254740991' }), '__metadata__.step'],
    ['has a header without end', (file) => withMetadata(file, { x: 'x'.repeat(1 << 20) }), null],
  ])('since it %s', async (_, change, param) => {
    const { status, body } = await trainer.restore(change(good))
    expect([status, body.error.code, body.error.param], body.error.message).toEqual([
      400,
      'invalid_request',
      param,
    ])
    expect((await trainer.checkpoint()).file).toEqual(good)
  })
})

function zeros(rows: number, dim: number) {
  return { shape: [rows, dim], numbers: new Array(rows * dim).fill(0) }
}

/** The file without one of its tensors. */
function without(file: Buffer, name: string): Buffer {
  const header = JSON.parse(file.toString('utf8', 8, 8 + Number(file.readBigUInt64LE(0))))
  const tensors = parsedSafetensors(file)
  const left = Object.entries(tensors).filter(([each]) => each !== name)
  const described = left.map(([each, bytes]) => [each, { ...header[each], bytes }])
  return tableFile(Object.fromEntries(described), header.__metadata__)
}

function withMetadata(file: Buffer, changes: object): Buffer {
  const end = 8 + Number(file.readBigUInt64LE(0))
  const header = JSON.parse(file.toString('utf8', 8, end))
  header.__metadata__ = { ...header.__metadata__, ...changes }
  return rawFile(JSON.stringify(header), file.subarray(end))
}
