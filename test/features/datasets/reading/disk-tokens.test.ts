import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CorpusCard } from '../../../../src/corpus/dataset-card.js'
import { DiskTokens } from '../../../../src/features/datasets/reading/disk-tokens.js'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-disk-tokens-'))
  path = join(folder, 'tokens.bin')
  writeFileSync(path, new Uint8Array(Uint16Array.of(5, 6, 7, 8).buffer))
})
afterEach(() => rmSync(folder, { recursive: true }))

const tokens = () => new DiskTokens(path, { id: 'ds_x', dtype: 'uint16' } as CorpusCard)

async function read(source: DiskTokens): Promise<number[]> {
  const out = new Int32Array(2)
  await source.read(1, out)
  return [...out]
}

test('a file stays open between reads', async () => {
  const source = tokens()
  expect(await read(source)).toEqual([6, 7])
  unlinkSync(path)
  expect(await read(source)).toEqual([6, 7])
  await expect(read(tokens())).rejects.toMatchObject({ code: 'dataset_not_found' })
})
