import { mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BesideFiles } from '../../../src/datasets/disk/beside-files.js'
import type { DiskUsage } from '../../../src/datasets/disk/disk-usage.js'

/** What may always stand beside a dataset. */
const FREE_BYTES = 1 << 26
const QUOTA = 1 << 30

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-beside-'))
})
afterEach(() => rm(folder, { recursive: true }))

const besideFiles = (used = 0) => new BesideFiles({ bytes: async () => used } as unknown as DiskUsage, QUOTA)
const bytes = (...values: number[]) => Uint8Array.from(values)

/** A file of this size, without its bytes, that was read so many seconds ago. */
async function sparse(name: string, size: number, secondsAgo: number): Promise<void> {
  const path = join(folder, name)
  await writeFile(path, '')
  await truncate(path, size)
  const then = Date.now() / 1000 - secondsAgo
  await utimes(path, then, then)
}

test('what is written is read back, part by part, and leaves no other file', async () => {
  const files = besideFiles()
  const long = new Uint8Array((1 << 20) + 5).fill(7)
  await files.write(folder, 'index', [bytes(1, 2), long])
  expect(await readdir(folder)).toEqual(['index'])
  const file = (await files.open(folder, 'index'))!
  const [start, rest] = [new Uint8Array(3), new Uint8Array(long.length - 1)]
  await file.read(start)
  await file.read(rest)
  await file.close()
  expect([file.size, start, rest.every((byte) => byte === 7)]).toEqual([
    2 + long.length,
    bytes(1, 2, 7),
    true,
  ])
})

test('a file that is not there is none', async () => {
  expect(await besideFiles().open(folder, 'index')).toBeUndefined()
})

test('a folder that has gone is no error, another fault is, and leaves nothing', async () => {
  await besideFiles().write(join(folder, 'gone'), 'index', [bytes(1)])
  expect(await readdir(folder)).toEqual([])
  await mkdir(join(folder, 'index'))
  await expect(besideFiles().write(folder, 'index', [bytes(1)])).rejects.toThrow('EISDIR')
  expect(await readdir(folder)).toEqual(['index'])
})

test('what the quota has no room for is not kept', async () => {
  await besideFiles(QUOTA - 2).write(folder, 'index', [bytes(1, 2)])
  await besideFiles(QUOTA - 2).write(folder, 'other', [bytes(1, 2, 3)])
  expect(await readdir(folder)).toEqual(['index'])
})

test('those go first that were not read for the longest time, and no more of them than must', async () => {
  await sparse('old', FREE_BYTES / 2, 300)
  await sparse('older', FREE_BYTES / 4, 400)
  await sparse('new', FREE_BYTES / 4, 100)
  await besideFiles().write(folder, 'index', [bytes(1)])
  expect((await readdir(folder)).sort()).toEqual(['index', 'new', 'old'])
  const file = await besideFiles().open(folder, 'old') // read now
  await file!.close()
  await sparse('more', FREE_BYTES / 4, 0)
  await besideFiles().write(folder, 'next', [bytes(1)])
  expect((await readdir(folder)).sort()).toEqual(['index', 'more', 'next', 'old'])
})
