import { afterAll, describe, expect, it } from 'vitest'
import {
  architectures,
  namedArchitecture,
  ownPosition,
} from '../../../src/first-layer/embeddings/architectures/registry.js'
import { decodeFloats, decodeSafetensors, floats, MEDIA_TYPES } from '../../decode.js'
import { goldenCases, largestDifference } from '../../goldens/golden.js'
import { embed } from '../../helper.js'
import { closePositionServices, positionService } from '../../position-answers.js'

afterAll(closePositionServices)

const safetensors = { accept: MEDIA_TYPES.safetensors }

/** LayerNorm sums in another order than PyTorch; everything else is the same to the bit. */
const TOLERANCE: Readonly<Record<string, number>> = { bert: 2e-6, deberta: 2e-6, bloom: 2e-6 }

/**
 * HTTP cannot say weights of a LayerNorm (they come with a checkpoint), nor Transformer-XL's adaptive input:
 * both are checked on the modules.
 */
const sayable = goldenCases('arch_input').filter(({ params, expect }) => {
  return params.arch !== 'transfo_xl' && expect.ln_weight === undefined
})

type Ids = readonly (readonly number[])[]

/** The environment of the golden's model. */
function environment(params: Readonly<Record<string, number>>): Record<string, string> {
  return {
    SEED: String(params.seed),
    VOCAB_SIZE: String(params.vocab_size),
    EMBEDDING_DIM: String(params.hidden_size ?? params.d_model),
    MAX_POSITION_EMBEDDINGS: String(params.max_position_embeddings ?? params.n_positions ?? 6),
    TYPE_VOCAB_SIZE: String(params.type_vocab_size || 2),
  }
}

/** The golden's ids; where its mask hides tokens, the documents end before them and are padded with one of them. */
function documents(ids: Ids, mask?: Ids): Record<string, unknown> {
  const lengths = ids.map((row, d) => mask?.[d]?.filter((seen) => seen === 1).length ?? row.length)
  return { input_ids: ids.map((row, d) => row.slice(0, lengths[d])), pad_token_id: 9 }
}

describe('architectures over HTTP', () => {
  for (const { id, params, expect: expected } of sayable) {
    const body = {
      ...documents(params.input_ids, params.attention_mask),
      ...(params.token_type_ids && { token_type_ids: params.token_type_ids }),
    }

    it.each([
      ['by request', { ...body, architecture: params.arch }, {}],
      ['by ARCHITECTURE', body, { ARCHITECTURE: params.arch }],
    ])(`give the reference's rows ${'%s'} (${id})`, async (_, asked, env: Record<string, string>) => {
      const service = await positionService({ ...environment(params), ...env })
      const answer = await embed(service, asked)
      expect(answer.status).toBe(200)
      const outputs = decodeFloats(answer)
      const width = params.hidden_size ?? params.d_model
      expect(outputs.input_embeddings.shape).toEqual([2, 4, width])
      const output = expected.output.flat(2).map(Math.fround)
      const difference = largestDifference(floats(outputs.input_embeddings), output)
      expect(difference).toBeLessThanOrEqual(TOLERANCE[params.arch] ?? 0)
      if (params.attention_mask) {
        expect(answer.json().outputs.attention_mask.data).toEqual(params.attention_mask)
      }
      const file = decodeSafetensors((await embed(service, asked, safetensors)).body).tensors
      expect(file.input_embeddings.bytes.equals(outputs.input_embeddings.bytes)).toBe(true)
    })
  }

  it.each(architectures.map(({ name }) => name))('answer with their own scheme (%s)', async (name) => {
    const service = await positionService()
    const { type, tensorNames, added } = ownPosition(namedArchitecture(name))
    const asked = { input_ids: [1, 5, 2, 7], architecture: name }
    const { outputs } = (await embed(service, asked)).json()
    expect(Object.keys(outputs)).toEqual(['input_ids', 'input_embeddings', ...(added ? [] : tensorNames)])
    const configured = await positionService({ ARCHITECTURE: name })
    const described = (await configured.app.inject('/v1/models/default')).json()
    expect(described).toMatchObject({ architecture: name, position_embedding: type })
    const fromConfiguration = await embed(configured, { input_ids: [1, 5, 2, 7] })
    expect(fromConfiguration.json()).toEqual((await embed(service, asked)).json())
    const positions = await configured.app.inject('/v1/models/default/position-embeddings?context_length=4')
    expect(Object.keys(positions.json().outputs)).toEqual(tensorNames)
  })

  it('take another scheme than their own: scaled rows, and nothing added', async () => {
    const service = await positionService()
    const asked = { input_ids: [1, 5, 2, 7], architecture: 'transformer', position_embedding: 'rope' }
    const { outputs } = (await embed(service, asked)).json()
    expect(Object.keys(outputs)).toEqual(['input_ids', 'input_embeddings', 'inv_freq', 'cos', 'sin'])
    const gemma = await embed(service, { input_ids: [1, 5, 2, 7], architecture: 'gemma' })
    expect(outputs).toEqual(gemma.json().outputs)
  })
})
