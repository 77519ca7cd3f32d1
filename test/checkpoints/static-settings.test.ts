import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { modelCard } from '../../src/checkpoints/folder-card.js'
import { acceptsIds } from '../../src/first-layer/cards/model-card.js'
import { embeddingWidth } from '../../src/first-layer/pooling/pooling.js'

const GOLDENS = fileURLToPath(new URL('../goldens/static/', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-static-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function cardWith(model: string, settings?: string) {
  await cp(join(GOLDENS, model), folder, { recursive: true, force: false })
  if (settings !== undefined) await writeFile(join(folder, 'inlet_static.json'), settings)
  return modelCard('words', folder)
}

describe.each(['float16', 'st', 'st-subfolder'])('inlet_static.json of %s', (model) => {
  test('says whether the model takes ids; without it, a model with its own tokenizer takes none', async () => {
    expect(acceptsIds(await cardWith(model))).toBe(false)
    expect(acceptsIds(await cardWith(model, '{}'))).toBe(false)
    expect(acceptsIds(await cardWith(model, '{"accept_ids":true}'))).toBe(true)
    expect(acceptsIds(await cardWith(model, '{"accept_ids":false}'))).toBe(false)
  })

  test.each([
    ['{"accept_ids":"yes"}', /inlet_static\.json: must be \{ "accept_ids": true or false \}\. Given: .*yes/],
    ['{"accepts_ids":true}', /inlet_static\.json: must be .*accepts_ids/],
    ['[]', /inlet_static\.json: must be \{/],
    ['{', /inlet_static\.json: must be JSON/],
  ])('%s is refused', async (settings, message) => {
    await expect(cardWith(model, settings)).rejects.toThrow(message)
  })
})

describe('truncate_dim of config_sentence_transformers.json', () => {
  const embed = async (model: string, settings: object) => {
    await writeFile(join(folder, 'config_sentence_transformers.json'), JSON.stringify(settings))
    const { pooling, embeddingDim } = await cardWith(model)
    return [pooling?.dimensions, embeddingWidth(pooling!, embeddingDim)]
  }

  test('cuts embeddings, null and more than the width do not', async () => {
    const [, width] = await embed('st', {})
    expect(await embed('st', { truncate_dim: 3 })).toEqual([3, 3])
    expect(await embed('st', { truncate_dim: null })).toEqual([undefined, width])
    expect(await embed('st', { truncate_dim: 4096 })).toEqual([4096, width])
  })

  test.each([0, -2, 1.5, '3', true])('%j is refused', async (dimensions) => {
    await expect(embed('st', { truncate_dim: dimensions })).rejects.toThrow(/`truncate_dim` must be a/)
  })
})
