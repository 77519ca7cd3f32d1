import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type TestService, testService } from '../../helper.js'
import {
  type DatasetService,
  datasetService,
  get,
  upload,
  uploadIds,
} from '../../http/datasets/dataset-service.js'
import type { FakeS3, Fault } from '../../objects/fake-s3.js'

const DOCUMENTS = [
  [1, 2, 3, 4, 5, 6, 7],
  [8, 9],
  [10, 11, 12, 13],
]
const RECIPE = { context_length: 2, batch_size: 2, outputs: 'input_ids', pad_token_id: 0 }

let service: DatasetService
let bucket: FakeS3
let others: TestService[]

beforeEach(async () => {
  service = await datasetService('bucket')
  bucket = service.bucket!
  others = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(others.map((other) => other.close()))
  await service.close()
})

/** Another replica on the same bucket, with a cache of its own. */
async function replica(env: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const DATA_CACHE_DIR = `${service.folder}/${others.length}`
  const other = await testService(
    { DATA_DIR: 's3://bucket/a/prefix', DATA_CACHE_DIR, ...env },
    { hasDatasets: true },
  )
  others.push(other)
  return other
}

/** Lets `performance.now()` go on by so many seconds. */
function later(seconds: number): void {
  const now = performance.now() + 1000 * seconds
  vi.spyOn(performance, 'now').mockImplementation(() => now)
}

const list = ({ app }: Pick<TestService, 'app'>) => app.inject({ url: '/v1/datasets' })
const batch = (of: Pick<TestService, 'app'>, id: string, i = 0) => get(of, `${id}/batches/${i}`, RECIPE)

test('a dataset is its files and a card, written last', async () => {
  const id = await uploadIds(service, DOCUMENTS, { name: 'three' })
  const writes = bucket.asked.filter(({ method }) => method === 'PUT')
  expect(writes.map(({ key }) => key.replace(/[0-9a-f]{32}/, 'RANDOM'))).toEqual([
    'a/prefix/uploads/RANDOM/tokens.bin',
    'a/prefix/uploads/RANDOM/documents.bin',
    `a/prefix/datasets/${id}/dataset.json`,
  ])
  expect(writes.at(-1)!.headers['if-none-match']).toBe('*')
  expect((await get(service, id)).json()).toMatchObject({ name: 'three', stored: 'bucket' })
  expect((await get(service, id)).json()).not.toHaveProperty('files')
})

test('another replica finds it at once, with the same bytes and tags', async () => {
  const other = await replica()
  const id = await uploadIds(service, DOCUMENTS)
  const [here, there] = [await batch(service, id), await batch(other, id)]
  expect(there.body).toBe(here.body)
  expect(there.headers.etag).toBe(here.headers.etag)
  expect((await list(other)).json().data).toHaveLength(1)
})

test('the same content twice is one dataset, and leaves one upload', async () => {
  const other = await replica()
  const lines = '{"input_ids":[1,2,3]}\n'
  const answers = await Promise.all(
    [service, other, service, other].map((of) => upload(of, 'application/x-ndjson', lines)),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 201])
  expect([...bucket.objects.keys()].filter((key) => key.includes('uploads/'))).toHaveLength(2)
  expect((await batch(other, answers[0]!.json().id)).json().outputs.input_ids.data).toEqual([[1, 2]])
})

test('a card whose answer was lost is this upload’s own', async () => {
  let isLost = false
  bucket.fault = ({ method, key }) => {
    if (method !== 'PUT' || !key.endsWith('dataset.json') || isLost) return undefined
    isLost = true
    return 'lost'
  }
  const answer = await upload(service, 'application/x-ndjson', '{"input_ids":[1,2,3]}\n')
  expect([isLost, answer.statusCode]).toEqual([true, 201])
  expect((await batch(service, answer.json().id)).statusCode).toBe(200)
})

test('an upload that fails leaves nothing to be seen', async () => {
  bucket.fault = ({ method, key }) =>
    method === 'PUT' && key.endsWith('documents.bin') ? 'AccessDenied' : undefined
  const answer = await upload(service, 'application/x-ndjson', '{"input_ids":[1,2,3]}\n')
  expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'storage_unavailable'])
  expect(answer.headers['retry-after']).toBe('2')
  expect(bucket.objects.size).toBe(0)
})

test('a quota counts what all replicas have stored', async () => {
  const small = await replica({ DATA_QUOTA_BYTES: '600' })
  await uploadIds(service, [Array.from({ length: 100 }, (_, i) => i)])
  const answer = await upload(small, 'application/x-ndjson', `{"input_ids":[${Array(100).fill(7)}]}\n`)
  expect([answer.statusCode, answer.json().error.code]).toEqual([507, 'insufficient_storage'])
  expect([...bucket.objects.keys()].filter((key) => key.includes('uploads/'))).toHaveLength(2)
})

test('what another replica deletes is gone here, within half a minute', async () => {
  const other = await replica()
  const id = await uploadIds(service, DOCUMENTS)
  expect((await batch(other, id)).statusCode).toBe(200)
  expect((await service.app.inject({ method: 'DELETE', url: `/v1/datasets/${id}` })).statusCode).toBe(204)
  expect(bucket.objects.size).toBe(0)
  expect((await batch(service, id)).statusCode).toBe(404)
  expect((await batch(other, id)).statusCode).toBe(200) // of its cache
  later(31)
  const gone = await batch(other, id)
  expect([gone.statusCode, gone.json().error.code]).toEqual([404, 'dataset_not_found'])
})

test('what is deleted and comes again has its new files', async () => {
  const other = await replica()
  const ids = Buffer.from(Uint16Array.from({ length: 300_000 }, (_, i) => i % 50_000).buffer) // three blocks
  const type = 'application/octet-stream'
  const { id } = (await upload(service, type, ids, { dtype: 'uint16' })).json()
  expect((await batch(other, id)).statusCode).toBe(200)
  await service.app.inject({ method: 'DELETE', url: `/v1/datasets/${id}` })
  expect((await upload(service, type, ids, { dtype: 'uint16' })).json().id).toBe(id)
  later(31)
  const last = await batch(other, id, 74_998) // of a block that was never read
  expect(last.json().outputs.input_ids.data.flat()).toEqual([49_992, 49_993, 49_994, 49_995])
})

test('an upload whose card may be there keeps its files', async () => {
  const faults: Fault[] = ['lost', 'AccessDenied']
  bucket.fault = ({ method, key }) =>
    method === 'PUT' && key.endsWith('dataset.json') ? faults.shift() : undefined
  const answer = await upload(service, 'application/x-ndjson', '{"input_ids":[1,2,3]}\n')
  expect(answer.statusCode).toBe(503)
  const [{ id }] = (await list(service)).json().data
  expect((await batch(service, id)).statusCode).toBe(200)
})

test('while the bucket refuses, what is known and cached is served, and the rest is 503', async () => {
  const id = await uploadIds(service, DOCUMENTS)
  const before = await batch(service, id)
  await expect.poll(() => bucket.count('GET', 'tokens.bin')).toBe(1)
  bucket.fault = () => 'AccessDenied'
  later(60)
  expect((await batch(service, id)).body).toBe(before.body)
  const unknown = await get(service, 'ds_aaaaaaaaaaaaaaaaaaaaaaaaaa')
  expect([unknown.statusCode, unknown.json().error.code]).toEqual([503, 'storage_unavailable'])
  expect((await list(service)).statusCode).toBe(503)
  bucket.fault = () => undefined
  expect((await list(service)).statusCode).toBe(200)
})

test('faults now and then change no byte', async () => {
  const ids = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 50_000)
  const id = await uploadIds(service, [ids])
  let n = 0
  const faults = ['500', 'SlowDown', 'cut', undefined] as const
  bucket.fault = () => faults[n++ % faults.length]
  const other = await replica()
  const { rawPayload: bytes } = await get(other, `${id}/tokens`)
  expect([...new Uint32Array(new Uint8Array(bytes).buffer)]).toEqual(ids)
})

test('files of a disk, copied into the bucket, are a dataset', async () => {
  const id = await uploadIds(service, DOCUMENTS)
  const before = await batch(service, id)
  for (const [key, { bytes }] of [...bucket.objects]) {
    bucket.objects.delete(key)
    const name = key.split('/').at(-1)!
    const { files: _files, ...card } = name === 'dataset.json' ? JSON.parse(String(bytes)) : {}
    bucket.put(
      `a/prefix/datasets/${id}/${name}`,
      name === 'dataset.json' ? Buffer.from(JSON.stringify(card)) : bytes,
    )
  }
  expect((await batch(await replica(), id)).body).toBe(before.body)
})

test('files without a card are removed a day later, others stay', async () => {
  const id = await uploadIds(service, DOCUMENTS)
  const [card] = [...bucket.objects.keys()].filter((key) => key.endsWith('dataset.json'))
  bucket.put('a/prefix/uploads/00/tokens.bin', Buffer.from('old'))
  bucket.put('a/prefix/datasets/ds_aaaaaaaaaaaaaaaaaaaaaaaaaa/index-1.bin', Buffer.from('old'))
  for (const object of bucket.objects.values()) object.changed = new Date(Date.now() - 25 * 3600_000)
  bucket.put('a/prefix/uploads/01/tokens.bin', Buffer.from('new'))
  const other = await replica()
  await expect
    .poll(() => [...bucket.objects.keys()].filter((key) => /uploads\/00|ds_aaa/.test(key)))
    .toEqual([])
  expect([bucket.objects.has(card!), bucket.objects.has('a/prefix/uploads/01/tokens.bin')]).toEqual([
    true,
    true,
  ])
  expect((await batch(other, id)).statusCode).toBe(200)
})

test('a deadline that comes before the bucket’s answer is 504', async () => {
  const id = await uploadIds(service, DOCUMENTS)
  const other = await replica()
  const late = (path: string) =>
    get(other, path, path.endsWith('batches/0') ? RECIPE : {}, { 'x-request-timeout': '0.2' })
  const codes = async (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await late(path)).json().error?.code))
  bucket.fault = () => 'silent'
  const paths = [id, `${id}/batches/0`, `${id}/tokens`, `${id}/documents/0`]
  expect(await codes(paths.map((path) => path.replace(id, 'ds_aaaaaaaaaaaaaaaaaaaaaaaaaa')))).toEqual(
    Array(4).fill('deadline_exceeded'),
  )
  bucket.fault = ({ key }) => (key.endsWith('tokens.bin') ? 'silent' : undefined)
  expect(await codes([`${id}/batches/0`, `${id}/documents/0`])).toEqual(Array(2).fill('deadline_exceeded'))
})

test('no key is in a log line', async () => {
  const id = await uploadIds(service, DOCUMENTS)
  bucket.fault = () => 'AccessDenied'
  await get(service, 'ds_aaaaaaaaaaaaaaaaaaaaaaaaaa')
  await batch(service, id)
  expect(service.log.text).not.toMatch(/a-secret|a-key-id/)
})

test('a bucket that refuses ends the start', async () => {
  bucket.fault = () => 'AccessDenied'
  await expect(replica()).rejects.toThrow('403 AccessDenied')
})
