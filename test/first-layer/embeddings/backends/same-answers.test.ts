import { getBackend, setBackend } from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../../../src/service/app.js'
import { readConfig } from '../../../../src/service/features.js'
import { singleThreadModels } from '../../../single-thread.js'
import { tensorflowHere } from './tensorflow-here.js'

const VOCAB = 97
const FORMATS = [
  'application/json',
  'application/vnd.safetensors',
  'application/x-npy',
  'application/octet-stream',
]

/** One answer: status, then the bytes. */
type Answer = readonly [status: number, body: Buffer]

/** The app over a small model of width `dim` on a backend. */
async function appOn(backend: 'cpu' | 'tensorflow', dim: number, seed: number) {
  const config = readConfig({
    VOCAB_SIZE: String(VOCAB),
    EMBEDDING_DIM: String(dim),
    MAX_POSITION_EMBEDDINGS: '64',
    SEED: String(seed),
    TF_BACKEND: backend,
  })
  const models = await singleThreadModels(config)
  const app = await buildApp(config, { logger: pino({ level: 'silent' }), models })
  const ask = async ({ accept, ...body }: { accept: string }): Promise<Answer> => {
    await setBackend(backend)
    const url = '/v1/input-embeddings'
    const { statusCode, rawPayload } = await app.inject({
      method: 'POST',
      url,
      headers: { accept },
      payload: body,
    })
    return [statusCode, rawPayload]
  }
  const close = async () => {
    await app.close()
    await Promise.all(models.entries().map(({ card }) => models.drop(card.id)))
  }
  return { ask, close }
}

const requests = fc.record(
  {
    accept: fc.constantFrom(...FORMATS),
    input_ids: fc.array(fc.nat(VOCAB - 1), { minLength: 30, maxLength: 200 }),
    context_length: fc.integer({ min: 1, max: 29 }),
    stride: fc.integer({ min: 1, max: 40 }),
    outputs: fc.constantFrom(['input_embeddings'], ['token_embeddings']),
    dtype: fc.constantFrom('float32', 'float16', 'bfloat16'),
    position_embedding: fc.constantFrom('learned_absolute', 'sinusoidal', 'none'),
    position_offset: fc.nat(30),
    architecture: fc.constantFrom('gpt2', 'transformer', 'bert', 'gemma', 'bloom', 'deberta'),
  },
  { requiredKeys: ['accept', 'input_ids', 'context_length', 'outputs'] },
)

describe.skipIf(!tensorflowHere())('answers on tensorflow and on cpu', () => {
  // Widths that do and do not fill vectors and cache lines.
  describe.each([2, 16, 38, 256])('embedding_dim %i', (dim) => {
    let apps: Awaited<ReturnType<typeof appOn>>[]

    beforeAll(async () => {
      apps = [await appOn('cpu', dim, dim), await appOn('tensorflow', dim, dim)]
    })

    afterAll(async () => {
      await Promise.all(apps.map(({ close }) => close()))
    })

    it('are the same bytes, in every format and dtype', async () => {
      const seen = new Map<number, number>()
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const [[status, bytes], [otherStatus, otherBytes]] = [
            await apps[0].ask(request),
            await apps[1].ask(request),
          ]
          expect(getBackend()).toBe('tensorflow')
          seen.set(status, (seen.get(status) ?? 0) + 1)
          expect(otherStatus).toBe(status)
          if (status === 200) expect(otherBytes.equals(bytes)).toBe(true)
        }),
        { numRuns: 150 },
      )
      expect(seen.get(200)).toBeGreaterThan(75)
    })
  })
})
