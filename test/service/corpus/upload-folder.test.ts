import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Quota } from '../../../src/files/quota.js'
import { UploadFolder } from '../../../src/service/corpus/upload.js'

const MB = 1_000_000
const QUOTA = 20 * MB

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inlet-upload-folder-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('an upload that does not fit beside another is refused with what is used, and what it needs', async () => {
  const [first, second] = [
    new UploadFolder(root, new Quota(root, QUOTA)),
    new UploadFolder(root, new Quota(root, QUOTA)),
  ]
  await first.append('tokens', new Uint8Array(12 * MB))
  const refused = second.append('tokens', new Uint8Array(17 * MB))
  await expect(refused).rejects.toMatchObject({
    code: 'insufficient_storage',
    message: `DATA_QUOTA_BYTES must hold datasets and checkpoints: ${12 * MB} bytes of ${QUOTA} are used, and ${17 * MB} are needed.`,
  })
  await second.abandon()
  await first.append('tokens', new Uint8Array(7 * MB))
  await first.abandon()
  expect(readdirSync(root)).toEqual([])
})

test('a folder that cannot be made says that DATA_DIR must be one', async () => {
  writeFileSync(join(root, 'file'), '')
  const upload = new UploadFolder(join(root, 'file/datasets'))
  await expect(upload.append('tokens', new Uint8Array(1))).rejects.toMatchObject({
    code: 'insufficient_storage',
    message: expect.stringContaining('DATA_DIR must be a folder'),
  })
})
