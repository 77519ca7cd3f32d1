import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DatasetUpload } from '../../src/corpus/upload.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inlet-upload-folder-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('a folder that cannot be made says that DATA_DIR must be one', async () => {
  writeFileSync(join(root, 'file'), '')
  const upload = new DatasetUpload(join(root, 'file/datasets'), 'uint16')
  const work = upload.write(Int32Array.of(1), Int32Array.of(1)).then(() => upload.finish({} as never))
  await expect(work).rejects.toMatchObject({
    code: 'insufficient_storage',
    message: expect.stringContaining('DATA_DIR must be a folder'),
  })
})
