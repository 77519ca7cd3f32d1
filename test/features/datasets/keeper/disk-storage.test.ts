import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CorpusCard } from '../../../../src/corpus/dataset-card.js'
import { DatasetUpload } from '../../../../src/corpus/upload.js'
import { DiskStorage } from '../../../../src/features/datasets/keeper/disk-storage.js'

const MB = 1_000_000
/** Of a dataset of one id: two files, its card, its folder. */
const LEAST_BYTES = 4 * 4096

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inlet-storage-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function storageOf(most: number) {
  const refused: string[] = []
  const folder = { root, stored: 'memory', most, variable: 'DATA_QUOTA_BYTES' } as const
  const log = { warn() {}, error: ({ path }: { path: string }) => void refused.push(path) }
  const storage = new DiskStorage(folder, log)
  let uploads = 0
  const begin = () => new DatasetUpload(root, 'uint16', `.aside-${process.pid}-${uploads++}`, storage)
  const put = async (ids: readonly number[], owner: string | null = null, created = 1) => {
    const upload = begin()
    try {
      await upload.write(Int32Array.from(ids), Uint32Array.of(ids.length) as unknown as Int32Array)
      const none = { name: null, encoding: null, allowed_special: null, document_end: null }
      return await upload.finish({
        ...none,
        num_characters: null,
        pad_token_id: null,
        owner,
        created,
      } as never)
    } catch (error) {
      await upload.abandon()
      throw error
    }
  }
  return { storage, begin, put, refused }
}

/** Writes ids of so many bytes, and waits for the end of the write. */
async function write(upload: DatasetUpload, bytes: number): Promise<void> {
  await upload.write(new Int32Array(bytes / 2), new Int32Array(0))
  await upload.write(new Int32Array(1), new Int32Array(0)) // which waits for the one before
}

test('uploads that are open together stay within the quota, and the message has the numbers', async () => {
  const { begin } = storageOf(20 * MB)
  const [first, second] = [begin(), begin()]
  await write(first, 12 * MB)
  await expect(write(second, 9 * MB)).rejects.toMatchObject({
    code: 'insufficient_storage',
    message: expect.stringMatching(
      /^DATA_QUOTA_BYTES must hold .*: 12582912 bytes of 20000000 are used, and 9437184 /,
    ),
  })
  expect(readdirSync(root)).toHaveLength(1)
  await second.abandon()
  const third = begin()
  await write(third, MB)
  await third.abandon()
  await write(first, 6 * MB)
  await first.abandon()
  expect(readdirSync(root)).toEqual([])
})

test('many small uploads at once write no more than the quota', async () => {
  const { begin } = storageOf(MB)
  const uploads = Array.from({ length: 60 }, begin)
  const all = await Promise.allSettled(uploads.map((upload) => write(upload, 90_000)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  for (const upload of uploads) await upload.abandon()
})

test('a dataset of one id counts what it takes of the disk, until it is deleted', async () => {
  const { storage, put } = storageOf(3 * LEAST_BYTES)
  for (const id of [1, 2, 3]) expect(await put([id])).toMatchObject({ isNew: true })
  await expect(put([4])).rejects.toMatchObject({ code: 'insufficient_storage' })
  const { cards } = await storage.page(1)
  expect(await storage.remove(cards[0]!.id)).toBe(true)
  expect(await put([4])).toMatchObject({ isNew: true })
})

test('a list reads the cards of its page, an upload none', async () => {
  const { storage, put, refused } = storageOf(100 * MB)
  for (let i = 0; i < 40; i++) await put([i], null, 100 - i)
  const all = (await storage.page(100)).cards
  for (const { id } of all.slice(2)) writeFileSync(join(root, id, 'dataset.json'), 'broken')
  const { cards, hasMore } = await storage.page(1, all[0]!.id)
  expect([cards, hasMore]).toEqual([[all[1]], true])
  await put([99])
  expect(refused).toEqual([])
  const none = storage.page(1, `ds_${'a'.repeat(26)}`)
  await expect(none).rejects.toMatchObject({ code: 'dataset_not_found' })
})

test('two processes see what the other one makes and deletes', async () => {
  const [one, other] = [storageOf(3 * LEAST_BYTES), storageOf(3 * LEAST_BYTES)]
  const ids = async () => (await other.storage.page(10)).cards.map(({ id }) => id)
  expect(await ids()).toEqual([])
  const { card } = await one.put([1])
  expect(await ids()).toEqual([card.id])
  for (const id of [2, 3]) await one.put([id])
  expect(await ids()).toHaveLength(3)
  await expect(other.put([4])).rejects.toMatchObject({ code: 'insufficient_storage' })
  await one.storage.remove(card.id)
  expect(await ids()).toHaveLength(2)
})

test('the same content is one dataset, which stays while one of its owners does', async () => {
  const { storage, put } = storageOf(MB)
  const { card } = await put([1, 2], 'ann')
  const second = await put([1, 2], 'ben')
  expect([second.isNew, second.card.id]).toEqual([false, card.id])
  await put([1, 2], 'ben')
  await expect(storage.remove(card.id, 'cid')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await storage.remove(card.id, 'ann')).toBe(false)
  await expect(storage.remove(card.id, 'ann')).rejects.toMatchObject({ code: 'forbidden' })
  expect(((await storage.card(card.id)) as CorpusCard).sha256).toBe(card.sha256)
  expect(await storage.remove(card.id, 'ben')).toBe(true)
  expect(await storage.card(card.id)).toBeUndefined()
  await put([1, 2], 'ann')
  await put([1, 2], 'ben')
  expect(await storage.remove(card.id)).toBe(true)
  expect(readdirSync(root)).toEqual([])
})
