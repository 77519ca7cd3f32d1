import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.js'
import { folderEntries } from '../../../src/models/sources/folders.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-models-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function card(name: string, text: string): Promise<string> {
  await mkdir(join(folder, name))
  await writeFile(join(folder, name, 'inlet.json'), text)
  return join(folder, name)
}

const SMALL = '{ "embedding_dim": 4, "vocab_size": 8 }'

test('each folder with a card is a model of its name; others are ignored, wrong names reported', async () => {
  await card('b', SMALL)
  await card('a-1.x', '{ "embedding_dim": 2, "seed": "18446744073709551615", "architecture": "llama" }')
  await card('-a', SMALL)
  await card('default', SMALL)
  await mkdir(join(folder, 'empty'))
  await writeFile(join(folder, 'notes.txt'), 'hello')
  const told: string[] = []
  const entries = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, (path, reason) => {
    told.push(`${path.slice(folder.length + 1)}: ${reason}`)
  })
  expect(entries.map((entry) => [entry.card.id, entry.state, entry.origin])).toEqual([
    ['a-1.x', 'unloaded', 'folder'],
    ['b', 'unloaded', 'folder'],
  ])
  expect(entries[0].card).toMatchObject({
    embeddingDim: 2,
    vocabSize: 50_257,
    architecture: 'llama',
    positionEmbedding: { type: 'rope' },
    source: { seed: 2n ** 64n - 1n, initStd: 1 },
  })
  expect(told).toEqual([
    expect.stringMatching(/^-a: its name must be 1 to 128 letters/),
    expect.stringMatching(/^default: the environment/),
  ])
})

test.each([
  ['{', /a\/inlet.json: must be JSON/],
  ['{ "vocab_size": 8 }', /a\/inlet.json: `embedding_dim` .*Given: nothing/],
  ['{ "embedding_dim": 0 }', /`embedding_dim` .*Given: 0/],
  ['{ "embedding_dim": 4, "colour": 1 }', /`colour`/],
  ['{ "embedding_dim": 3, "position_embedding": "sinusoidal" }', /embedding_dim is odd \(3\)/],
  ['{ "embedding_dim": 4, "architecture": "gpt5" }', /`architecture` must be one of gpt2/],
])('a card that is refused is a model that failed, and says why: %s', async (text, message) => {
  await card('a', text)
  await card('b', SMALL)
  const [a, b] = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  expect(a).toMatchObject({ state: 'failed', isUnreadable: true, error: { code: 'model_failed' } })
  expect(a.error?.message).toMatch(message)
  expect(b.state).toBe('unloaded')
})

test('MODELS names folders anywhere; a repeated name stops the start', async () => {
  const path = await card('somewhere', SMALL)
  const named = (id: string) => ({ MODELS_DIR: folder, MODELS: [{ id, source: path }] })
  const entries = await folderEntries(named('other'), () => {})
  expect(entries.map((entry) => entry.card.id)).toEqual(['somewhere', 'other'])
  await expect(folderEntries(named('somewhere'), () => {})).rejects.toThrow(ConfigError)
})

test('the package has the model tiny; an unreadable MODELS_DIR stops the start', async () => {
  const [tiny] = await folderEntries({ MODELS_DIR: undefined, MODELS: undefined }, () => {})
  expect(tiny.card).toMatchObject({ id: 'tiny', vocabSize: 6, embeddingDim: 3, maxPositionEmbeddings: 4 })
  const nowhere = { MODELS_DIR: join(folder, 'nowhere'), MODELS: undefined }
  await expect(folderEntries(nowhere, () => {})).rejects.toThrow(/^MODELS_DIR must be a folder/)
})
