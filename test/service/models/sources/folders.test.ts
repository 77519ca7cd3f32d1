import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { folderCard } from '../../../../src/checkpoints/folder-card.js'
import { folderEntries } from '../../../../src/models/folders.js'
import { ConfigError } from '../../../../src/models/variables.js'

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

test('each folder is a model of its name; files and hidden folders are passed over, wrong names reported', async () => {
  await card('b', SMALL)
  await card('a-1.x', '{ "embedding_dim": 2, "seed": "18446744073709551615", "architecture": "llama" }')
  await card('-a', SMALL)
  await card('default', SMALL)
  await mkdir(join(folder, '.b.pull'))
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
  expect(a).toMatchObject({ state: 'failed', hasNoCard: true, error: { code: 'model_failed' } })
  expect(a.error?.message).toMatch(message)
  expect(b.state).toBe('unloaded')
})

test('a folder without a model is one that failed, with the reason', async () => {
  await mkdir(join(folder, 'empty'))
  for (const [name, file] of [
    ['adapter', 'adapter_config.json'],
    ['gguf', 'model-q4.gguf'],
    ['notes', 'readme.txt'],
  ] as const) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, file), '{}')
  }
  const entries = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  expect(entries.map(({ card, state, error }) => [card.id, state, error?.message])).toEqual([
    [
      'adapter',
      'failed',
      expect.stringMatching(/config.json: is missing. adapter_config.json .*merge_and_unload/),
    ],
    ['empty', 'failed', 'empty/config.json: is missing. The folder is empty'],
    ['gguf', 'failed', expect.stringMatching(/model-q4.gguf is never opened: use the checkpoint/)],
    ['notes', 'failed', expect.stringMatching(/has one of config.json, modules.json, inlet.json/)],
  ])
})

test('folders within a folder that is no model have ids with a slash', async () => {
  await mkdir(join(folder, 'org'))
  await card('org/b', SMALL)
  await card('org/-c', SMALL)
  const told: string[] = []
  const named = [{ name: 'other/name', path: join(folder, 'org/b') }]
  const entries = await folderEntries({ MODELS_DIR: folder, MODELS: named }, (path) => told.push(path))
  expect(entries.map(({ card, state }) => [card.id, state])).toEqual([
    ['org/b', 'unloaded'],
    ['other/name', 'unloaded'],
  ])
  expect(told).toEqual([join(folder, 'org/-c')])
})

test('MODELS that names no folder is a model that failed, whose message has no path above it', async () => {
  const MODELS = [
    { name: 'a', path: '/srv/secret/potion' },
    { name: 'b', path: './models/nothing' },
    { name: 'c', path: 'models/nothing' },
  ]
  const entries = await folderEntries({ MODELS_DIR: folder, MODELS }, () => {})
  expect(entries.map(({ state, error, folder: path }) => [state, error?.message, path])).toEqual([
    ['failed', '…/potion: is no folder, and MODELS names it', '/srv/secret/potion'],
    ['failed', './models/nothing: is no folder, and MODELS names it', './models/nothing'],
    [
      'failed',
      expect.stringMatching(/^models\/nothing: is no folder, and not in the Hugging Face cache/),
      'models/nothing',
    ],
  ])
})

test('a folder that makes the reader fail does not stop the others', async () => {
  await card('a', SMALL)
  await card('b', SMALL)
  const entries = await folderEntries(
    { MODELS_DIR: folder, MODELS: undefined },
    () => {},
    (id, path) => (id === 'a' ? Promise.reject(new RangeError('out of memory')) : folderCard(id, path)),
  )
  expect(entries.map(({ state, error }) => [state, error?.message])).toEqual([
    ['failed', 'a/cannot be read (RangeError)'],
    ['unloaded', undefined],
  ])
})

test('MODELS names folders anywhere; a repeated name stops the start', async () => {
  const path = await card('somewhere', SMALL)
  const named = (name: string) => ({ MODELS_DIR: folder, MODELS: [{ name, path }] })
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
