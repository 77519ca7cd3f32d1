import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { decodeFloats, decodeSafetensors, MEDIA_TYPES } from '../../decode.js'
import { embed, type TestService } from '../../helper.js'
import {
  bodyFor,
  closePositionServices,
  expect200,
  getPositions,
  positionService,
} from '../../position-answers.js'

/** T, o and K = o + T of the requests below; the service has rows of C = 8. */
const [T, o, K] = [5, 3, 8]

type Shapes = Readonly<Record<string, readonly number[]>>

/** Every scheme at its defaults: the options that say so, the tensors that come, their shapes. No batch axis. */
const SCHEMES: readonly { type: string; defaults: object; shapes: Shapes }[] = [
  { type: 'none', defaults: {}, shapes: {} },
  { type: 'learned_absolute', defaults: {}, shapes: { position_embeddings: [T, 8] } },
  {
    type: 'sinusoidal',
    defaults: { base: 10_000, variant: 'vaswani', layout: 'interleaved', precision: 'float64' },
    shapes: { position_embeddings: [T, 8] },
  },
  {
    type: 'rope',
    defaults: { head_dim: 64, rotary_dim: 64, rope_theta: 10_000, layout: 'half', precision: 'float32' },
    shapes: { inv_freq: [32], cos: [T, 32], sin: [T, 32] },
  },
  {
    type: 'alibi',
    defaults: { num_heads: 8, form: 'causal', key_length: K },
    shapes: { alibi_slopes: [8], position_bias: [8, T, K] },
  },
  {
    type: 't5',
    defaults: {
      num_heads: 8,
      num_buckets: 32,
      max_distance: 128,
      bidirectional: true,
      key_length: K,
      seed: 123,
    },
    shapes: { relative_position_bucket: [T, K], position_bias: [8, T, K] },
  },
  {
    type: 'shaw',
    defaults: { max_relative_position: 16, head_dim: 64, key_length: K, seed: 123 },
    shapes: {
      relative_position_index: [T, K],
      relative_key_embeddings: [T, K, 64],
      relative_value_embeddings: [T, K, 64],
    },
  },
  {
    type: 'transformer_xl',
    defaults: { num_heads: 8, memory_length: o, clamp_length: -1, seed: 123 },
    shapes: { relative_position_embeddings: [K, 8], content_bias: [8, 1], position_bias_vector: [8, 1] },
  },
  {
    type: 'deberta',
    defaults: { version: 2, max_relative_positions: 512, position_buckets: 256, seed: 123 },
    shapes: {
      relative_position: [T, T],
      c2p_index: [T, T],
      p2c_index: [T, T],
      relative_embeddings: [512, 8],
    },
  },
]

const INDICES = [
  'relative_position_bucket',
  'relative_position_index',
  'relative_position',
  'c2p_index',
  'p2c_index',
]
const ADDITIVE = ['learned_absolute', 'sinusoidal']

const ask = (positionEmbedding: unknown) => bodyFor({ positionEmbedding, length: T, offset: o })

let service: TestService
beforeAll(async () => {
  service = await positionService()
})
afterAll(closePositionServices)

it('the schemes are those of the table', () => {
  expect(SCHEMES.map(({ type }) => type)).toEqual(positionSchemes.map(({ type }) => type))
})

describe.each(SCHEMES)('$type', ({ type, defaults, shapes }) => {
  const names = Object.keys(shapes)

  it('has the defaults of the contract', async () => {
    const outputs = [...names, 'input_embeddings']
    const said = await embed(service, { ...ask({ type, ...defaults }), outputs })
    for (const wire of [type, { type }]) {
      const implied = await embed(service, { ...ask(wire), outputs })
      expect(implied.json()).toEqual(expect200(said).json())
    }
  })

  it('comes with the ids and the embeddings, its own tensors where attention takes them', async () => {
    const answer = expect200(await embed(service, ask(type)))
    const own = ADDITIVE.includes(type) ? [] : names
    expect(Object.keys(answer.json().outputs)).toEqual(['input_ids', 'input_embeddings', ...own])
  })

  it('gives its tensors in their shapes and types', async () => {
    const outputs = decodeFloats(await embed(service, { ...ask(type), outputs: ['input_ids', ...names] }))
    for (const [name, shape] of Object.entries(shapes)) {
      const dtype = INDICES.includes(name) ? 'int32' : 'float32'
      expect([name, outputs[name]?.shape, outputs[name]?.dtype]).toEqual([name, shape, dtype])
    }
  })

  it('gives its layout in the metadata if the tensors do not show it', async () => {
    const metadata = type === 'rope' ? { layout: 'half' } : undefined
    expect((await embed(service, ask(type))).json().metadata).toEqual(metadata)
    if (names.length === 0) return
    const got = await getPositions(service, { positionEmbedding: { type }, context_length: T })
    expect(got.json().metadata).toEqual(metadata)
    const file = await embed(service, ask(type), { accept: MEDIA_TYPES.safetensors })
    expect(decodeSafetensors(file.body).metadata.layout).toBe(metadata?.layout)
  })

  it('is asked for in the query string of raw text, flattened with dots', async () => {
    const options = Object.entries(defaults).map(([name, value]) => [
      `position_embedding.${name}`,
      String(value),
    ])
    const fields = { position_embedding: type, position_offset: '3', ...Object.fromEntries(options) }
    const url = `/v1/input-embeddings?${new URLSearchParams(fields)}`
    const raw = await service.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'text/plain' },
      payload: '0,0-0', // five tokens, all among the first 16 ids
    })
    expect(raw.statusCode).toBe(200)
    const body = { text: '0,0-0', position_embedding: { type, ...defaults }, position_offset: 3 }
    expect(raw.json()).toEqual((await embed(service, body)).json())
  })
})

describe('minus infinity', () => {
  it('is the string "-Infinity" in JSON, and itself everywhere else', async () => {
    const positionEmbedding = { type: 'alibi', num_heads: 1 }
    const asked = { positionEmbedding, context_length: 2, outputs: 'position_bias' }
    const json = await getPositions(service, asked)
    expect(json.json().outputs.position_bias.data).toEqual([
      [
        [0, '-Infinity'],
        [-0.00390625, 0],
      ],
    ])
    for (const [dtype, bits] of [
      ['float16', 0xfc00],
      ['bfloat16', 0xff80],
    ] as const) {
      const raw = await getPositions(service, { ...asked, dtype }, { accept: MEDIA_TYPES.raw })
      expect(raw.body.readUInt16LE(2)).toBe(bits)
      const narrow = await getPositions(service, { ...asked, dtype })
      expect(narrow.json().outputs.position_bias.data[0][0]).toEqual([0, '-Infinity'])
    }
    const base64 = await getPositions(service, { ...asked, encoding_format: 'base64' })
    expect(Buffer.from(base64.json().outputs.position_bias.data, 'base64').readFloatLE(4)).toBe(-Infinity)
  })
})
