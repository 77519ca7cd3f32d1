import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { positionSchemes } from '../../src/first-layer/embeddings/positions/registry.js'
import { embed, type TestService } from '../helper.js'
import { checkProperty } from '../property.js'
import {
  bodyFor,
  closePositionServices,
  expect200,
  getPositions,
  positionService,
} from './position-answers.js'

type Nested = readonly (Nested | number | string)[]
interface JsonTensor {
  readonly shape: readonly number[]
  readonly data: Nested
}

let service: TestService
beforeAll(async () => {
  service = await positionService()
})
afterAll(closePositionServices)

async function tensorsOf(positionEmbedding: unknown, length: number, offset: number) {
  const asked = { positionEmbedding, context_length: length, position_offset: offset }
  const { outputs } = expect200(await getPositions(service, asked)).json()
  return outputs as Record<string, JsonTensor>
}

/** On each axis the last `shape[axis]` of the entries: `[[1, 2], [3, 4]]`, `[1, 2]` → `[[3, 4]]`. */
function lastPart(data: Nested, [size = 0, ...inner]: readonly number[]): Nested {
  return data.slice(-size).map((each) => (inner.length === 0 ? each : lastPart(each as Nested, inner)))
}

/** Schemes that give tensors; deberta is an encoder, whose window stands at no offset. */
const continued = positionSchemes.filter(({ type }) => type !== 'none' && type !== 'deberta')

it('positions are int32: 2^31 − 1 is the last one', async () => {
  const asked = (context_length: number, position_offset: number) =>
    getPositions(service, { positionEmbedding: { type: 'rope' }, context_length, position_offset })
  const last = expect200(await asked(1, 2 ** 31 - 1)).json()
  const whole = expect200(await asked(2, 2 ** 31 - 2)).json()
  expect(last.outputs.cos.data).toEqual([whole.outputs.cos.data[1]])
  for (const [length, offset] of [
    [1, 2 ** 31],
    [2, 2 ** 31 - 1],
  ]) {
    const answer = await asked(length, offset)
    expect([answer.status, answer.json().error]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', param: 'position_offset' }),
    ])
  }
})

describe('a continued sequence', () => {
  it.each(continued)('8 tokens from position 4 are rows 4 … 11 of 12 ($type)', async ({ type }) => {
    const whole = await tensorsOf({ type }, 12, 0)
    const part = await tensorsOf({ type }, 8, 4)
    expect(Object.keys(part)).toEqual(Object.keys(whole))
    for (const [name, { shape, data }] of Object.entries(part)) {
      expect(data, name).toEqual(lastPart(whole[name]!.data, shape))
    }
  })

  it('any T and o', async () => {
    const sizes = fc.record({
      type: fc.constantFrom(...continued.map(({ type }) => type)),
      length: fc.integer({ min: 1, max: 20 }),
      offset: fc.nat(20),
    })
    const law = fc.asyncProperty(sizes, async ({ type, length, offset }) => {
      const whole = await tensorsOf({ type }, offset + length, 0)
      for (const [name, { shape, data }] of Object.entries(await tensorsOf({ type }, length, offset))) {
        expect(data, name).toEqual(lastPart(whole[name]!.data, shape))
      }
    })
    await checkProperty(law, 60)
  })

  it.each(['alibi', 't5', 'shaw'])('a decoding step sees every key so far (%s)', async (type) => {
    const step = await tensorsOf({ type }, 1, 19)
    const whole = await tensorsOf({ type }, 20, 0)
    for (const [name, { shape, data }] of Object.entries(step)) {
      if (shape.length === 1) continue
      expect(shape.includes(20), name).toBe(true)
      expect(data).toEqual(lastPart(whole[name]!.data, shape))
    }
  })

  it('dynamic scaling goes by the end of the window', async () => {
    const scaling = { type: 'dynamic', factor: 2, max_position_embeddings: 16 }
    const implied = await tensorsOf({ type: 'rope', scaling }, 8, 24)
    const said = await tensorsOf({ type: 'rope', scaling: { ...scaling, seq_len: 32 } }, 8, 24)
    expect(implied).toEqual(said)
    expect(implied).not.toEqual(await tensorsOf({ type: 'rope' }, 8, 24))
  })
})

describe('key_length', () => {
  it.each(['alibi', 't5', 'shaw'])(
    'is o + T unless said; fewer keys are a part of more (%s)',
    async (type) => {
      const implied = await tensorsOf({ type }, 4, 3)
      expect(await tensorsOf({ type, key_length: 7 }, 4, 3)).toEqual(implied)
      for (const keys of [1, 5, 11]) {
        const other = await tensorsOf({ type, key_length: keys }, 4, 3)
        for (const [name, { shape, data }] of Object.entries(implied)) {
          const axis = shape.lastIndexOf(7)
          expect(other[name]?.shape, name).toEqual(axis < 0 ? shape : shape.with(axis, keys))
          expect(firstKeys(other[name]!.data, axis, 7), name).toEqual(firstKeys(data, axis, keys))
        }
      }
    },
  )

  it('is the only size of the key form of alibi', async () => {
    const form = { type: 'alibi', num_heads: 2, form: 'key' }
    expect((await tensorsOf(form, 4, 3)).position_bias).toMatchObject({ shape: [2, 1, 7] })
    const bias = (await tensorsOf({ ...form, key_length: 3 }, 4, 3)).position_bias
    expect(bias.data).toEqual([[[0, 0.0625, 0.125]], [[0, 0.00390625, 0.0078125]]])
  })
})

/** The first `count` entries on one axis. */
function firstKeys(data: Nested, axis: number, count: number): Nested {
  if (axis < 0) return data
  if (axis === 0) return data.slice(0, count)
  return data.map((each) => firstKeys(each as Nested, axis - 1, count))
}

describe('windows of a text', () => {
  it.each(positionSchemes)(
    'all stand at the same positions, o … o + T − 1 ($type)',
    async ({ type, added, tensorNames }) => {
      const ids = Array.from({ length: 23 }, (_, i) => i % 16)
      const outputs = ['position_ids', 'input_embeddings', 'token_embeddings', ...tensorNames]
      const windows = {
        input_ids: ids,
        context_length: 6,
        stride: 4,
        position_offset: 5,
        position_embedding: type,
        outputs,
      }
      const many = expect200(await embed(service, windows)).json()
      expect(many.outputs.position_ids.data).toEqual(new Array(5).fill([5, 6, 7, 8, 9, 10]))
      const asked = { positionEmbedding: type, length: 6, offset: 5 }
      const { input_ids: _, ...one } = bodyFor(asked)
      for (const [row, start] of [0, 4, 8, 12, 16].entries()) {
        const window = { ...one, input_ids: ids.slice(start, start + 6), outputs }
        const alone = expect200(await embed(service, window)).json()
        expect(alone.outputs.input_embeddings.data[0]).toEqual(many.outputs.input_embeddings.data[row])
        for (const name of tensorNames) expect(alone.outputs[name]).toEqual(many.outputs[name])
      }
      const same =
        JSON.stringify(many.outputs.token_embeddings.data) ===
        JSON.stringify(many.outputs.input_embeddings.data)
      expect(same).toBe(added === undefined)
    },
  )
})
