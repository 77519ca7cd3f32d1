import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { countKernel } from '../../counting-kernel.js'
import {
  decodeBase64,
  decodeFloats,
  decodeNpy,
  decodeRaw,
  decodeSafetensors,
  MEDIA_TYPES,
} from '../../decode.js'
import { embed, type TestAnswer, type TestService, testService } from '../../helper.js'

let service: TestService
beforeAll(async () => {
  service = await testService({ MAX_RESPONSE_BYTES: '1000000', MAX_JSON_RESPONSE_BYTES: '1000000' })
})
afterAll(() => service.close())

async function get(
  query: string,
  headers: Record<string, string> = {},
  { method = 'GET' as 'GET' | 'HEAD', model = 'default' } = {},
): Promise<TestAnswer> {
  const url = `/v1/models/${model}/position-embeddings?${query}`
  const response = await service.app.inject({ method, url, headers })
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: response.rawPayload,
    json: () => response.json(),
  }
}

const GIVING = positionSchemes.filter(({ tensorNames }) => tensorNames.length > 0)

describe.each(GIVING.map(({ type, tensorNames }) => ({ type, tensorNames })))(
  'the tensors of $type',
  ({ type, tensorNames }) => {
    const query = `position_embedding=${type}&context_length=5&position_offset=3`

    test('come all, without a text, with the bits that come beside embeddings', async () => {
      const answer = await get(`${query}&encoding_format=base64`)
      expect(answer.status).toBe(200)
      const { model, outputs, ...rest } = answer.json()
      expect(model).toBe('default')
      expect(Object.keys(outputs)).toEqual([...tensorNames])
      expect(Object.keys(rest).filter((key) => !['metadata', 'model_version'].includes(key))).toEqual([])
      const beside = await embed(service, {
        input_ids: [1, 2, 3, 4, 5, 6],
        context_length: 5,
        position_offset: 3,
        position_embedding: type,
        outputs: tensorNames,
        encoding_format: 'base64',
      })
      expect(beside.status).toBe(200)
      expect(outputs).toEqual(beside.json().outputs)
    })

    test('are the same in every format', async () => {
      const expected = decodeBase64(await get(`${query}&encoding_format=base64`))
      const { tensors } = decodeSafetensors((await get(query, { accept: MEDIA_TYPES.safetensors })).body)
      expect(Object.keys(tensors).sort()).toEqual([...tensorNames].sort())
      for (const name of tensorNames) {
        const { shape, bytes } = expected[name]
        expect(Buffer.from(tensors[name].bytes).equals(Buffer.from(bytes))).toBe(true)
        const one = `${query}&outputs=${name}`
        const npy = decodeNpy((await get(one, { accept: MEDIA_TYPES.npy })).body)
        expect(npy.shape).toEqual(shape)
        expect(Buffer.from(npy.bytes).equals(Buffer.from(bytes))).toBe(true)
        const raw = await get(one, { accept: MEDIA_TYPES.raw })
        expect(raw.headers).toMatchObject({ 'x-tensor-name': name, 'x-tensor-shape': shape.join(',') })
        expect(raw.body.equals(Buffer.from(bytes))).toBe(true)
      }
    })
  },
)

test('without a scheme, the model’s own', async () => {
  const own = await get('context_length=2')
  expect(own.json().outputs.position_embeddings.shape).toEqual([2, 8])
  expect(own.body.equals((await get('context_length=2&position_embedding=learned_absolute')).body)).toBe(true)
})

test('options are in the query with dots, and the scheme’s facts are in the answer', async () => {
  const answer = await get(
    'context_length=3&position_embedding=rope&position_embedding.head_dim=4&position_embedding.layout=interleaved' +
      '&position_embedding.scaling.type=linear&position_embedding.scaling.factor=2&outputs=cos,inv_freq&dtype=float16',
  )
  expect(answer.json().metadata).toEqual({ layout: 'interleaved' })
  expect(Object.keys(answer.json().outputs)).toEqual(['cos', 'inv_freq'])
  expect(answer.json().outputs.cos).toMatchObject({ dtype: 'float16', shape: [3, 2] })
  expect(answer.json().outputs.inv_freq.data).toEqual([0.5, 0.005001068])
})

test('HEAD tells what GET would, without the body', async () => {
  for (const accept of Object.values(MEDIA_TYPES)) {
    const head = await get('context_length=4', { accept }, { method: 'HEAD' })
    const whole = await get('context_length=4', { accept })
    expect(head.status).toBe(200)
    expect(head.body).toHaveLength(0)
    expect(head.headers['content-type']).toBe(whole.headers['content-type'])
    if (accept !== MEDIA_TYPES.json) expect(head.headers['content-length']).toBe(String(whole.body.length))
  }
})

test('HEAD looks nothing up', async () => {
  const kernel = countKernel()
  const accept = MEDIA_TYPES.npy
  expect((await get('context_length=4', { accept }, { method: 'HEAD' })).status).toBe(200)
  expect(kernel.calls).toBe(0)
  expect((await get('context_length=4', { accept })).status).toBe(200)
  expect(kernel.rows).toBe(4)
  kernel.restore()
})

describe('is refused', () => {
  const [ROPE, NONE] = ['rope', 'none'].map((type) => `context_length=2&position_embedding=${type}`)
  test.each([
    ['', 400, 'invalid_request', 'context_length'],
    ['context_length=0', 400, 'invalid_request', 'context_length'],
    ['context_length=2&context_length=2', 400, 'invalid_request', 'context_length'],
    ['context_length=2&stride=2', 400, 'invalid_request', 'stride'],
    ['context_length=2&outputs=', 400, 'invalid_request', 'outputs'],
    ['context_length=2&outputs=position_embeddings,position_embeddings', 400, 'invalid_request', 'outputs'],
    ['context_length=2&outputs=nonsense', 400, 'invalid_request', 'outputs.0'],
    ['context_length=2&outputs=cos', 422, 'unsupported_combination', 'outputs'],
    ['context_length=2&outputs=input_ids', 422, 'unsupported_combination', 'outputs'],
    [`${NONE}`, 422, 'unsupported_combination', 'position_embedding'],
    ['context_length=2&dtype=float64', 400, 'invalid_request', 'dtype'],
    ['context_length=4.5', 400, 'invalid_request', 'context_length'],
    ['context_length=4&position_offset=-1', 400, 'invalid_request', 'position_offset'],
    ['context_length=4&encoding_format=hex', 400, 'invalid_request', 'encoding_format'],
    ['context_length=4&position_embedding.head_dim=4', 400, 'invalid_request', 'position_embedding.type'],
    [`${ROPE}&position_offset=2147483647`, 400, 'invalid_request', 'position_offset'],
    [`${ROPE}&position_embedding.type=alibi`, 400, 'invalid_request', 'position_embedding.type'],
    [`${ROPE}&position_embedding.head_dim=4x`, 400, 'invalid_request', 'position_embedding.head_dim'],
    [`${NONE}&position_offset=2147483647`, 422, 'unsupported_combination', 'position_embedding'],
  ])('?%s', async (query, status, code, param) => {
    const answer = await get(query)
    expect(answer.json().error).toMatchObject({ code, param })
    expect(answer.status).toBe(status)
  })

  test('in a format that cannot carry it', async () => {
    const rope = 'context_length=2&position_embedding=rope'
    const several = await get(rope, { accept: MEDIA_TYPES.raw })
    expect(several.json().error).toMatchObject({ code: 'invalid_request', param: 'outputs' })
    const bfloat16 = await get(`${rope}&outputs=cos&dtype=bfloat16`, { accept: MEDIA_TYPES.npy })
    expect(bfloat16.status).toBe(422)
    expect(bfloat16.json().error).toMatchObject({ code: 'unsupported_combination', param: 'dtype' })
    const indices = 'context_length=2&position_embedding=shaw&outputs=relative_position_index&dtype=bfloat16'
    expect((await get(indices, { accept: MEDIA_TYPES.npy })).status).toBe(200)
    expect((await get(rope, { accept: 'image/png' })).status).toBe(406)
  })

  test('for a model that is not there', async () => {
    const answer = await get('context_length=2', {}, { model: 'gpt5' })
    expect(answer.json().error).toMatchObject({ code: 'model_not_found', param: 'model' })
    expect(answer.status).toBe(404)
  })

  test('if the answer would be too large, before anything is computed', async () => {
    const huge = 'context_length=2000000000&position_embedding=alibi&position_embedding.num_heads=65536'
    for (const accept of [MEDIA_TYPES.json, MEDIA_TYPES.safetensors]) {
      const answer = await get(huge, { accept })
      expect(answer.json().error).toMatchObject({ code: 'response_too_large' })
      expect(answer.status).toBe(413)
    }
  })
})

test('a length equal to the limit passes', async () => {
  const query =
    'position_embedding=sinusoidal&position_embedding.precision=float32&outputs=position_embeddings'
  const rows = 1_000_000 / (8 * 4)
  expect((await get(`${query}&context_length=${rows}`, { accept: MEDIA_TYPES.raw })).status).toBe(200)
  expect((await get(`${query}&context_length=${rows + 1}`, { accept: MEDIA_TYPES.raw })).status).toBe(413)
})

test('decimals and binary mean the same numbers', async () => {
  const query = 'context_length=3&position_embedding=t5'
  const decimals = decodeFloats(await get(query)).position_bias.bytes
  const { bytes } = decodeRaw(await get(`${query}&outputs=position_bias`, { accept: MEDIA_TYPES.raw }))
  expect(Buffer.from(decimals).equals(Buffer.from(bytes))).toBe(true)
})
