import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCard } from '../../src/first-layer/cards/read-card.js'
import { InletError, modelFromFolder } from '../../src/index.js'
import { readEmbedOptions } from '../../src/library/embed-options.js'
import { cardSchema } from '../../src/models/cards/card-fields.js'
import { folderEntries } from '../../src/models/sources/folders.js'
import { embeddingRequest } from '../../src/wire/schemas/embedding-request.js'
import { parse } from '../../src/wire/schemas/issue.js'

/** Code, field and message of the error that `act` throws. */
function refusalOf(act: () => unknown): readonly unknown[] {
  try {
    act()
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    return [error.code, error.param, error.message.replace(/ Did you mean .*\?$/, '')] // the service alone guesses
  }
  return ['accepted']
}

describe('the options of a request are refused in scripts as over HTTP, with the same words:', () => {
  it.each([
    { context_length: 0 },
    { context_length: 1.5 },
    { context_length: '4' },
    { context_length: 2 ** 60 },
    { context_length: 2 ** 40, stride: 0 },
    { contextLength: 4 },
    { stride: 2 },
    { tail: 'pad' },
    { max_length: 4 },
    { max_length: 4, truncation: false },
    { max_length: 0, truncation: true },
    { context_length: 4, tail: 'cut' },
    { pad_token_id: -1 },
    { batch_index: 0 },
    { drop_last: true },
    { drop_last: 1, batch_size: 2 },
    { shuffle: true },
    { shuffle: 'yes' },
    { epoch: 1001 },
    { seed: 1.5 },
    { seed: '18446744073709551616' },
    { dtype: 'float64' },
    { position_offset: null },
    { position_embedding: { type: 'alibi', num_heads: 0 } },
    { position_embedding: { type: 'alibi', form: 'sideways' } },
    { position_embedding: { type: 'rope', rope_theta: 'large' } },
    { position_embedding: { type: 'rope', colour: 1 } },
  ])('%j', (options) => {
    const inScripts = refusalOf(() => readEmbedOptions(options as object))
    expect(inScripts).not.toEqual(['accepted'])
    expect(inScripts).toEqual(refusalOf(() => parse(embeddingRequest, { input_ids: [1], ...options })))
  })

  it.each([{}, { context_length: 2 ** 40 }, { seed: '18446744073709551615', shuffle: true, epoch: 1000 }])(
    'both accept %j',
    (options) => {
      const { text: _text, ...parsed } = parse(embeddingRequest, { text: 'a', ...options })
      expect(readEmbedOptions(options)).toMatchObject(
        JSON.parse(JSON.stringify({ ...parsed, seed: undefined, encoding_format: undefined })),
      )
      expect(readEmbedOptions(options).seed).toBe(parsed.seed)
    },
  )
})

describe('the fields of a card are refused in scripts as over HTTP, with the same words:', () => {
  it.each([
    {},
    { embedding_dim: 0 },
    { embedding_dim: 1_048_577 },
    { embedding_dim: 4.5 },
    { embedding_dim: 4, vocab_size: 2 ** 31 },
    { embedding_dim: 4, vocab_size: null },
    { embedding_dim: 4, encoding: 'gpt3' },
    { embedding_dim: 4, architecture: 'gpt5' },
    { embedding_dim: 4, init_std: 0 },
    { embedding_dim: 4, init_std: 1e7 },
    { embedding_dim: 4, seed: '1e3' },
    { embedding_dim: 4, type: 'seed' },
    { embedding_dim: 4, colour: 1 },
  ])('%j', (card) => {
    const inScripts = refusalOf(() => readCard(card))
    expect(inScripts).not.toEqual(['accepted'])
    expect(inScripts).toEqual(refusalOf(() => parse(cardSchema, card)))
  })

  it('both fill the same defaults in', () => {
    const card = { embedding_dim: 4, position_embedding: 'rope' }
    expect(readCard(card)).toEqual(parse(cardSchema, card))
  })
})

describe('a folder of a model', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlet-rules-'))
    await mkdir(join(folder, 'a'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it.each([
    ['config.json before inlet.json', { 'inlet.json': '{ "embedding_dim": 4 }', 'config.json': '{}' }],
    ['a card without embedding_dim', { 'inlet.json': '{ "vocab_size": 8 }' }],
    ['a card that is null', { 'inlet.json': 'null' }],
    ['a card of more than 65,536 bytes', { 'inlet.json': `{ "embedding_dim": 4${' '.repeat(65_536)} }` }],
    ['no file of a model', { 'notes.txt': 'hello' }],
    ['a card that is a link out of the folder', {}],
  ])('with %s is refused in scripts as by the service', async (what, files) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'a', name), text)
    if (what.includes('link')) {
      await writeFile(join(folder, 'card.json'), '{ "embedding_dim": 4 }')
      await symlink(join(folder, 'card.json'), join(folder, 'a', 'inlet.json'))
    }
    const inScripts = await modelFromFolder(join(folder, 'a')).then(
      () => 'accepted',
      (error) => `${error.code} ${error.message}`,
    )
    const source = { id: 'a', source: join(folder, 'a') }
    const [entry] = (await folderEntries({ MODELS_DIR: folder, MODELS: [] }, () => {})).concat(
      what.startsWith('no file')
        ? await folderEntries({ MODELS_DIR: join(folder, 'a'), MODELS: [source] }, () => {})
        : [],
    )
    expect(entry?.error?.code).toBe('model_failed')
    expect(inScripts).toBe(`model_failed ${entry?.error?.message.replace(/^a\//, '')}`)
  })
})
