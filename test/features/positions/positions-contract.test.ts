import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { decodeFloats, decodeSafetensors, MEDIA_TYPES } from '../../decode.js'
import { tensorsOf } from '../../first-layer/embeddings/positions/compute.js'
import { embed, type TestService } from '../../helper.js'
import {
  bodyFor,
  closePositionServices,
  expect200,
  getPositions,
  positionService,
} from '../../position-answers.js'

/** T and o of the requests below; the service has rows of C = 8. */
const [T, o] = [5, 3]
/** The letters of documented shapes, at every option's default. */
const LETTERS = { T, C: 8, K: o + T, M: o, H: 8, D: 64, R: 64, span: 256 }
/** What options without a default of their own mean in these requests. */
const IMPLIED = { key_length: o + T, memory_length: o, rotary_dim: 64, layout: 'interleaved' }

const SCHEMES = positionSchemes.map(({ type, options, added, tensorDocs }) => {
  const fallbacks = Object.entries<z.ZodType>(options.shape).map(([name, option]) => [
    name,
    option.safeParse(undefined).data ?? IMPLIED[name as keyof typeof IMPLIED],
  ])
  const defaults = Object.fromEntries(fallbacks.filter(([, value]) => value !== undefined))
  return { type, defaults, added, tensorDocs, names: Object.keys(tensorDocs) }
})

/** `[2 · span, C]` → [512, 8] */
function shapeOf(documented: string): number[] {
  const expression = documented.replaceAll('·', '*')
  return new Function(...Object.keys(LETTERS), `return ${expression}`)(...Object.values(LETTERS))
}

const ask = (positionEmbedding: unknown) => bodyFor({ positionEmbedding, length: T, offset: o })

let service: TestService
beforeAll(async () => {
  service = await positionService()
})
afterAll(closePositionServices)

describe.each(SCHEMES)('$type', ({ type, defaults, added, tensorDocs, names }) => {
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
    const own = added ? [] : names
    expect(Object.keys(answer.json().outputs)).toEqual(['input_ids', 'input_embeddings', ...own])
  })

  it('gives its tensors in their shapes and types', async () => {
    const outputs = decodeFloats(await embed(service, { ...ask(type), outputs: ['input_ids', ...names] }))
    const declared = tensorsOf({ positionEmbedding: type, length: T, offset: o })
    for (const name of names) {
      const { dtype } = declared.get(name)!
      const shape = shapeOf(tensorDocs[name]![0])
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
