import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddingsAnswer } from '../../../src/features/embeddings/document.js'
import { folderEntries } from '../../../src/models/folders.js'
import { post, type TestService, testService } from '../../helper.js'

// Made by test/goldens/static/make.py with model2vec 0.10.0 and sentence-transformers 6.2.0.
const GOLDENS = new URL('../../goldens/static/', import.meta.url)

interface Expected {
  readonly texts: readonly string[]
  /** float32 in base64; `mean`: before normalization, if the model normalizes. */
  readonly models: Readonly<Record<string, { mean?: readonly string[]; embedding: readonly string[] }>>
}
const { texts, models }: Expected = JSON.parse(readFileSync(new URL('expected.json', GOLDENS), 'utf8'))

/** PyTorch's order of adding float32 squares is unknown; NumPy's order is known, and 16 bits round any. */
const NORMALIZED_BY_TORCH = 'st'

let service: TestService
beforeAll(async () => {
  const folder = fileURLToPath(GOLDENS)
  const folders = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  const asMeans = folders.map((entry) => {
    const { id, pooling } = entry.card
    return {
      ...entry,
      card: {
        ...entry.card,
        id: `${id}.mean`,
        ...(pooling && { pooling: { ...pooling, normalize: false } }),
      },
    }
  })
  service = await testService({}, { folders: [...folders, ...asMeans] })
})
afterAll(() => service.close())

async function embed(model: string, input: readonly string[]): Promise<string[]> {
  const answer = await post(service, '/v1/embeddings', { model, input, encoding_format: 'base64' })
  expect(answer.status, answer.body.toString()).toBe(200)
  return embeddingsAnswer.parse(answer.json()).data.map(({ embedding }) => embedding as string)
}

function floats(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

describe.each(Object.entries(models))('%s', (model, { mean, embedding }) => {
  const input = texts.slice(0, embedding.length)

  test.runIf(mean !== undefined)('before normalization the bits equal those of the library', async () => {
    expect(await embed(`${model}.mean`, input)).toEqual(mean)
  })

  test('embeddings equal those of the library', async () => {
    const given = await embed(model, input)
    if (model !== NORMALIZED_BY_TORCH) return expect(given).toEqual(embedding)
    for (const [i, one] of given.entries()) {
      const wanted = floats(embedding[i])
      for (const [c, x] of floats(one).entries()) {
        expect(Math.abs(x - wanted[c]), `${i}, ${c}`).toBeLessThanOrEqual(1e-6)
      }
    }
  })
})
