import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DiskUsage } from '../../../src/datasets/disk/disk-usage.js'
import { UploadFolder } from '../../../src/datasets/disk/upload-folder.js'

const MB = 1_000_000
const QUOTA = 20 * MB

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inlet-upload-folder-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const upload = () => new UploadFolder(root, new DiskUsage(root), QUOTA)

test('uploads under a small quota are not refused for what others have not sent', async () => {
  const uploads = [upload(), upload(), upload(), upload()]
  for (const each of uploads) {
    await each.append('tokens', new Uint8Array(4 * MB))
    await each.append('documents', new Uint8Array(8))
  }
  for (const each of uploads) await each.abandon()
  expect(readdirSync(root)).toEqual([])
})

test('an upload that does not fit is refused with what is used, and what it needs', async () => {
  const [first, second] = [upload(), upload()]
  await first.append('tokens', new Uint8Array(12 * MB))
  await second.append('tokens', new Uint8Array(7 * MB))
  const refused = second.append('tokens', new Uint8Array(2 * MB))
  await expect(refused).rejects.toMatchObject({ code: 'insufficient_storage' })
  await second.abandon()
  await first.append('tokens', new Uint8Array(7 * MB))
  await first.abandon()
})
