import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BlockCache } from '../../../src/datasets/bucket/block-cache.js'
import { BLOCK_BYTES, BlockFiles, blocksName } from '../../../src/datasets/bucket/block-files.js'
import { until } from '../../until.js'

const bytes = Buffer.alloc(10 * BLOCK_BYTES + 77)
for (let i = 0; i < bytes.length; i += 4)
  bytes.writeUInt32LE((i * 2654435761) >>> 0, Math.min(i, bytes.length - 4))

let folder: string
let fetched: number[]
/** What the next fetch does first. */
let before: () => Promise<void> = async () => {}
const object = (name = blocksName('object')) => ({
  name,
  bytes: bytes.length,
  async fetch(position: number, length: number) {
    fetched.push(position / BLOCK_BYTES)
    await before()
    return Buffer.from(bytes.subarray(position, position + length))
  },
})
const cacheOf = (maxBytes: number, failed?: (error: Error) => void) =>
  new BlockCache(new BlockFiles(folder, maxBytes), failed)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-blocks-'))
  fetched = []
  before = async () => {}
})

// Blocks may still be on their way to the disk: the folder fills while it is emptied.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 20 }))

async function read(cache: BlockCache, position: number, length: number): Promise<Buffer> {
  const out = Buffer.alloc(length)
  await cache.read(object(), position, out)
  return out
}

/** Blocks on the disk, once all are written. */
async function kept(count: number): Promise<string[]> {
  for (;;) {
    const files = readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)))
    const whole = files.filter((name) => !name.startsWith('.'))
    if (whole.length >= count && whole.length === files.length) return whole
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('any reads, at any time, give the object’s bytes, however small the cache', async () => {
  const caches = [cacheOf(8 * BLOCK_BYTES), cacheOf(8 * BLOCK_BYTES), cacheOf(2 ** 30)] // two threads, another size
  const reads = fc.array(
    fc.tuple(fc.nat(caches.length - 1), fc.nat(bytes.length - 1), fc.nat(2 * BLOCK_BYTES)),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(reads, async (asked) => {
      await Promise.all(
        asked.map(async ([cache, position, most]) => {
          const length = Math.min(most, bytes.length - position)
          const out = await read(caches[cache]!, position, length)
          expect(out.equals(bytes.subarray(position, position + length))).toBe(true)
        }),
      )
    }),
    { numRuns: 40 },
  )
})

test('a block is fetched once, by all that want it at once, and later not at all', async () => {
  const cache = cacheOf(2 ** 30)
  await Promise.all([read(cache, 5, 10), read(cache, 100, 10), read(cache, BLOCK_BYTES - 1, 2)])
  expect(fetched.sort()).toEqual([0, 1])
  await kept(2)
  await read(cache, 0, 2 * BLOCK_BYTES)
  await read(cacheOf(2 ** 30), 0, 2 * BLOCK_BYTES) // another thread, or the next process
  expect(fetched).toEqual([0, 1])
})

test('holds the bound: the oldest blocks make room', async () => {
  const cache = cacheOf(8 * BLOCK_BYTES)
  for (let block = 0; block <= 10; block++) {
    await read(cache, block * BLOCK_BYTES, 1)
    const name = `${blocksName('object')}-${block}`
    await expect.poll(() => kept(Math.min(block + 1, 8))).toContain(name)
    expect((await kept(1)).length).toBeLessThanOrEqual(8)
  }
  expect(await kept(8)).not.toContain(`${blocksName('object')}-0`)
})

test('blocks of one object fill all folders evenly', () => {
  const files = new BlockFiles(folder, 64 * 8 * BLOCK_BYTES)
  const folders = Array.from({ length: 128 }, (_, block) => join(files.path(blocksName('x'), block), '..'))
  expect(new Set(folders).size).toBe(64)
})

test('a fetch that fails is the readers’ error, and the next read tries again', async () => {
  const cache = cacheOf(2 ** 30)
  before = async () => {
    throw new Error('away')
  }
  const both = await Promise.allSettled([read(cache, 0, 1), read(cache, 1, 1)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  before = async () => {}
  expect(await read(cache, 0, 8)).toEqual(bytes.subarray(0, 8))
})

test('so many fetches at once, and no more', async () => {
  let [begun, all] = [0, 0]
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  before = async () => {
    begun++
    all++
    await released
    begun--
  }
  const cache = cacheOf(2 ** 30)
  const others = Array.from({ length: 40 }, (_, i) => object(blocksName('other', i)))
  const reads = others.map((other) => cache.read(other, 0, Buffer.alloc(1)))
  await until(() => begun === 16)
  await new Promise((resolve) => setTimeout(resolve, 100)) // the others look for their files meanwhile
  expect(begun).toBe(16)
  release()
  await Promise.all(reads)
  expect(all).toBe(40)
})

test('what cannot be kept is read all the same', async () => {
  const failed: string[] = []
  const cache = cacheOf(2 ** 30, ({ message }) => failed.push(message))
  rmSync(folder, { recursive: true })
  const { writeFileSync } = await import('node:fs')
  writeFileSync(folder, 'a file in the place of the folder')
  expect(await read(cache, 3, 8)).toEqual(bytes.subarray(3, 11))
  await expect.poll(() => failed.length).toBe(1)
})

test('a smaller cache removes what lies beyond it', async () => {
  const cache = cacheOf(64 * 8 * BLOCK_BYTES)
  await read(cache, 0, bytes.length)
  await kept(11)
  const smaller = new BlockFiles(folder, 8 * BLOCK_BYTES)
  await smaller.removeBeyond()
  expect(readdirSync(folder).every((name) => name === '0')).toBe(true)
})

test('a folder that others may write is refused', async () => {
  const { chmodSync } = await import('node:fs')
  chmodSync(folder, 0o777)
  expect(() => new BlockFiles(folder, 2 ** 30)).toThrow('must be writable by the service’s user alone')
  expect(statSync(folder).mode & 0o777).toBe(0o777)
})
