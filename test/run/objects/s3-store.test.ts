import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasChanged, type ObjectStore, openStore, PART_BYTES } from '../../../src/run/objects/s3-store.js'
import { inFolder } from '../../cli/run-command.js'
import { FakeS3, type Fault } from './fake-s3.js'

let fake: FakeS3
let store: ObjectStore
const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251))

beforeEach(async () => {
  fake = await FakeS3.start()
  Object.assign(process.env, fake.env)
  store = openStore({ bucket: 'bucket', key: '' })
  fake.put('a/x', BYTES)
})

afterEach(() => fake.stop())

/** Faults of the first requests, one after the other. */
function firstFaults(...faults: readonly Fault[]): void {
  const left = [...faults]
  fake.fault = () => left.shift()
}

test('reads a range, and nothing where there is none', async () => {
  expect(await store.get('a/x', 'bytes=300-499')).toEqual(BYTES.subarray(300, 500))
  expect(await store.get('a/y', 'bytes=0-0')).toBeUndefined()
  expect([await store.head('a/x'), await store.head('a/y')]).toEqual([
    { bytes: 1000, tag: expect.any(String) },
    undefined,
  ])
  expect(await store.get('a/x')).toEqual(BYTES)
  expect(await store.get('a/y')).toBeUndefined()
})

test('never reads an object that has changed', async () => {
  const { tag } = (await store.head('a/x'))!
  fake.put('a/x', BYTES.subarray(1))
  const error = await store.get('a/x', 'bytes=0-99', tag).catch((thrown) => thrown)
  expect([hasChanged(error), fake.asked.length]).toEqual([true, 2])
})

// The client's pauses after SlowDown are of up to half a second, then of twice as much.
test.each<[Fault, times: number]>([
  ['500', 3],
  ['SlowDown', 1],
  ['cut', 2],
  ['reset', 3],
])('reads again after %s, %i times', async (fault, times) => {
  firstFaults(...Array.from({ length: times }, () => fault))
  expect(await store.get('a/x', 'bytes=1-998')).toEqual(BYTES.subarray(1, 999))
  expect(fake.count('GET', 'a/x')).toBe(times + 1)
})

test('a refusal is told at once, without what the storage says of keys', async () => {
  fake.fault = () => 'AccessDenied'
  const error = await store.get('a/x').catch((thrown) => thrown)
  expect(error.message).toBe('The object storage does not do what it is asked (403 AccessDenied).')
  expect(JSON.stringify([error, error.stack])).not.toContain('a-key-id')
  expect(fake.asked).toHaveLength(1)
})

test('gives up after some attempts, with its own message', async () => {
  process.env.AWS_MAX_ATTEMPTS = '2'
  store = openStore({ bucket: 'bucket', key: '' })
  delete process.env.AWS_MAX_ATTEMPTS
  for (const [fault, word] of [
    ['SlowDown', '503 SlowDown'],
    ['cut', 'a body cut off'],
    ['reset', 'no answer in time'],
  ] as const) {
    fake.asked.length = 0
    fake.fault = () => fault
    await expect(store.get('a/x')).rejects.toThrow(
      `The object storage does not do what it is asked (${word}).`,
    )
    expect(fake.asked).toHaveLength(2)
  }
})

test('an upload whose end was lost is there', async () => {
  let isLost = false
  fake.fault = ({ method, query }) => {
    if (method !== 'POST' || !query.has('uploadId') || isLost) return undefined
    isLost = true
    return 'lost'
  }
  await put(Buffer.alloc(PART_BYTES + 1))
  expect(fake.objects.get('large')!.bytes).toHaveLength(PART_BYTES + 1)
})

test('lists all pages', async () => {
  const keys = Array.from({ length: 250 }, (_, i) => `list/${String(i).padStart(3, '0')}`)
  for (const key of keys) fake.put(key, BYTES)
  firstFaults('500')
  const listed: string[] = []
  for await (const { key, bytes } of store.list('list/')) if (bytes === 1000) listed.push(key)
  expect(listed).toEqual(keys)
})

test('a large file is stored in parts, and is there whole or not at all', async () => {
  const bytes = Buffer.alloc(2 * PART_BYTES + 5, 'abcdefg')
  firstFaults('500', '500')
  await put(bytes)
  expect(fake.objects.get('large')!.bytes.equals(bytes)).toBe(true)
  expect([fake.count('PUT', 'large'), fake.openUploads]).toEqual([expect.any(Number), 0])
})

test.each([
  ['in parts', PART_BYTES + 1],
  ['whole', 5],
])(
  'an upload %s ends when it is aborted, though the storage is silent, and leaves nothing',
  async (_, bytes) => {
    const abort = new AbortController()
    fake.fault = ({ method }) => {
      if (method !== 'PUT') return undefined
      abort.abort(new Error('interrupted'))
      return 'silent'
    }
    await expect(put(Buffer.alloc(bytes), abort.signal)).rejects.toThrow('interrupted')
    expect([fake.count('PUT', 'large'), fake.openUploads, fake.objects.has('large')]).toEqual([1, 0, false])
  },
)

/** Stores bytes as `large`, by way of a file. */
function put(bytes: Buffer, signal?: AbortSignal): Promise<void> {
  return inFolder(async (folder) => {
    writeFileSync(join(folder, 'large'), bytes)
    await store.putFile('large', join(folder, 'large'), signal)
  })
}
