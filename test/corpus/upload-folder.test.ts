import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UploadFolder } from '../../src/corpus/upload.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inlet-upload-folder-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('a folder that cannot be made says that DATA_DIR must be one', async () => {
  writeFileSync(join(root, 'file'), '')
  const upload = new UploadFolder(join(root, 'file/datasets'))
  await expect(upload.append('tokens', new Uint8Array(1))).rejects.toMatchObject({
    code: 'insufficient_storage',
    message: expect.stringContaining('DATA_DIR must be a folder'),
  })
})
