import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeSafetensors } from '../../decode.js'
import { embed, post, type TestService, testService } from '../../helper.js'
import { checkProperty } from '../../property.js'
import {
  bytesTensor,
  decoded,
  errorOf,
  type GivenInput,
  INFER,
  idsInput,
  infer,
  int32s,
  int64s,
  textInput,
} from './inference.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const BINARY = { binary_data_output: true }
const SAFETENSORS = { accept: 'application/vnd.safetensors' }

/** The bytes of the native route's tensors, by name. */
async function nativeBytes(body: object): Promise<Record<string, Buffer>> {
  const answer = await embed(service, body, SAFETENSORS)
  const { tensors } = decodeSafetensors(answer.body)
  return Object.fromEntries(Object.entries(tensors).map(([name, { bytes }]) => [name, Buffer.from(bytes)]))
}

describe('binary outputs', () => {
  test('follow the JSON, in the order of the outputs, with exact lengths', async () => {
    const names = ['input_embeddings', 'position_ids', 'input_ids', 'token_embeddings']
    const outputs = names.map((name) => ({ name, parameters: { binary_data: true } }))
    const answer = await infer(service, { id: '🌊', inputs: [textInput('Hello, world!')], outputs })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/octet-stream')
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length)
    const got = decoded(answer)
    const expected = await nativeBytes({ text: 'Hello, world!', outputs: names })
    expect(got.outputs.map(({ name }) => name)).toEqual(names)
    for (const { name, bytes } of got.outputs) expect(bytes, name).toEqual(expected[name])
  })

  test.each([
    ['float32', 'FP32'],
    ['float16', 'FP16'],
    ['bfloat16', 'BF16'],
  ])('%s is %s', async (dtype, datatype) => {
    const answer = await infer(service, { inputs: [idsInput(1, 2, 3)], parameters: { ...BINARY, dtype } })
    const [ids, rows] = decoded(answer).outputs
    const expected = await nativeBytes({ input_ids: [1, 2, 3], dtype })
    expect([ids.datatype, rows.datatype]).toEqual(['INT32', datatype])
    expect(rows.bytes).toEqual(expected.input_embeddings)
    expect(rows.bytes).toHaveLength(3 * 8 * (dtype === 'float32' ? 4 : 2))
  })

  test('can be mixed with outputs in JSON; one that is listed without a form is JSON', async () => {
    const names = ['input_ids', 'input_embeddings', 'token_embeddings']
    const outputs = names.map((name) => ({
      name,
      ...(name === 'input_embeddings' && { parameters: { binary_data: true } }),
    }))
    const inputs = [textInput('Hello, world!')]
    const answer = await infer(service, { inputs, outputs, parameters: BINARY })
    const json = await infer(service, { inputs, outputs: names.map((name) => ({ name })) })
    const [ids, rows, tokens] = decoded(answer).outputs
    const [jsonIds, , jsonTokens] = decoded(json).outputs
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length)
    expect([ids.data, tokens.data]).toEqual([jsonIds.data, jsonTokens.data])
    expect(rows.bytes).toEqual((await nativeBytes({ text: 'Hello, world!' })).input_embeddings)
  })

  test.each([
    [[{ name: 'input_embeddings' }], {}],
    [undefined, {}],
    [[{ name: 'input_ids' }, { name: 'token_embeddings' }], BINARY],
  ])('16-bit floats as JSON are refused: outputs %j, parameters %j', async (outputs, parameters) => {
    for (const dtype of ['float16', 'bfloat16']) {
      const request = { inputs: [idsInput(1)], outputs, parameters: { ...parameters, dtype } }
      const answer = await infer(service, request)
      expect([answer.status, errorOf(answer)]).toEqual([
        400,
        expect.stringContaining('via JSON is not supported'),
      ])
    }
  })

  test('ids alone are no 16-bit floats', async () => {
    const request = {
      inputs: [idsInput(1)],
      outputs: [{ name: 'input_ids' }],
      parameters: { dtype: 'float16' },
    }
    expect((await infer(service, request)).status).toBe(200)
  })

  test('of many blocks have the native route’s bytes', async () => {
    const options = { context_length: 64, stride: 1, position_embedding: 'sinusoidal' }
    const ids = Array.from({ length: 2000 }, (_, i) => (7 * i) % 50_000)
    const outputs = [
      { name: 'input_embeddings', parameters: { binary_data: true } },
      { name: 'window_starts' },
    ]
    const answer = await infer(service, { inputs: [idsInput(...ids)], outputs, parameters: options })
    const expected = await nativeBytes({ input_ids: ids, ...options })
    expect(answer.body.length).toBeGreaterThan(3 << 20)
    const [rows, starts] = decoded(answer).outputs
    expect(rows.bytes?.equals(expected.input_embeddings)).toBe(true)
    expect(starts.data).toEqual(Array.from({ length: 1936 }, (_, i) => i))
  })
})

describe('binary inputs', () => {
  const ids = (bytes: Buffer, datatype: string, shape: readonly number[]): GivenInput => ({
    ...{ name: 'input_ids', datatype, shape, bytes },
  })

  test.each([
    ['INT64', int64s(1, 2, 50_256)],
    ['INT32', int32s(1, 2, 50_256)],
  ])('%s ids', async (datatype, bytes) => {
    const answer = await infer(service, { inputs: [ids(bytes, datatype, [3])] })
    expect(decoded(answer).outputs[0].data).toEqual([1, 2, 50_256])
  })

  test('texts, each with its length before it', async () => {
    const texts = ['Hello, world!', 'zwei 🌊', 'x'.repeat(40_000)]
    const parameters = { position_embedding: 'none' }
    const input = { name: 'text', datatype: 'BYTES', shape: [3], bytes: bytesTensor(...texts) }
    const outputs = [{ name: 'input_ids' }, { name: 'attention_mask' }]
    const binary = await infer(service, { inputs: [input], parameters, outputs })
    const json = await infer(service, { inputs: [textInput(...texts)], parameters, outputs })
    expect(binary.status).toBe(200)
    expect(binary.body).toEqual(json.body)
  })

  test('beside inputs in JSON, in the order of the inputs', async () => {
    const shape = [2, 2]
    const inputs = [
      { name: 'attention_mask', datatype: 'INT32', shape, bytes: int32s(1, 0, 1, 1) },
      {
        name: 'token_type_ids',
        datatype: 'INT64',
        shape,
        data: [
          [1, 0],
          [0, 1],
        ],
      },
      ids(int64s(1, 2, 3, 4), 'INT64', shape),
    ]
    const answer = await infer(service, { inputs, parameters: { architecture: 'bert', ...BINARY } })
    const expected = await nativeBytes({
      input_ids: [[1], [3, 4]],
      token_type_ids: [[1], [0, 1]],
      architecture: 'bert',
    })
    for (const { name, bytes } of decoded(answer).outputs) expect(bytes, name).toEqual(expected[name])
  })

  test('a JSON of any length before them: tensors lie at any address', async () => {
    for (let i = 0; i < 8; i++) {
      const request = { id: 'x'.repeat(i), inputs: [ids(int64s(5, 6), 'INT64', [2])] }
      expect(decoded(await infer(service, request)).outputs[0].data).toEqual([5, 6])
    }
  })

  test('any rows of ids come back', async () => {
    const rows = fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 9 }))
      .chain(([count, length]) =>
        fc.array(fc.array(fc.nat(50_256), { minLength: length, maxLength: length }), {
          minLength: count,
          maxLength: count,
        }),
      )
    const property = fc.asyncProperty(
      rows,
      fc.constantFrom('INT64', 'INT32'),
      fc.boolean(),
      async (given, datatype, isJson) => {
        const flat = given.flat()
        const bytes = datatype === 'INT64' ? int64s(...flat) : int32s(...flat)
        const input = { name: 'input_ids', datatype, shape: [given.length, given[0].length] }
        const inputs = [isJson ? { ...input, data: given } : { ...input, bytes }]
        const answer = await infer(service, {
          inputs,
          parameters: { position_embedding: 'none' },
          outputs: [{ name: 'input_ids' }],
        })
        const [{ shape, data }] = decoded(answer).outputs
        expect({ shape, data }).toEqual({ shape: input.shape, data: flat })
      },
    )
    await checkProperty(property, 60)
  })

  test.each<[string, GivenInput, string | RegExp, number?]>([
    ['a negative id', ids(int64s(1, -1), 'INT64', [2]), '`input_ids.1` must be at least 0. Given: -1'],
    ['a negative int32', ids(int32s(-5), 'INT32', [1]), '`input_ids.0` must be at least 0. Given: -5'],
    [
      'a negative id far behind',
      ids(int64s(...new Array(20_000).fill(1), -1), 'INT64', [20_001]),
      '`input_ids.20000` must be at least 0. Given: -1',
    ],
    [
      'an id beyond the table far behind',
      ids(int64s(...new Array(20_000).fill(1), 2n ** 33n), 'INT64', [20_001]),
      /`input_ids.20000` must be below .* Given: 8589934592/,
      422,
    ],
    [
      'an id beyond int32',
      ids(int64s(2n ** 40n), 'INT64', [1]),
      /`input_ids.0` must be below .* Given: 1099511627776/,
      422,
    ],
    [
      'an id beyond the table',
      ids(int32s(1, 60_000), 'INT32', [1, 2]),
      /`input_ids.0.1` must be below .* Given: 60000/,
      422,
    ],
    [
      'too few bytes for the shape',
      ids(int64s(1), 'INT64', [2]),
      /Unexpected size for input `input_ids`: INT64 \[2\] has 16 bytes. Given: 8/,
    ],
    ['too many bytes for the shape', ids(int64s(1, 2), 'INT32', [2]), /INT32 \[2\] has 8 bytes. Given: 16/],
    [
      'a string that is cut off',
      { ...textInput(), shape: [1], data: undefined, bytes: bytesTensor('abc').subarray(0, 6) },
      /String 0 is cut off/,
    ],
    [
      'a length that is cut off',
      {
        ...textInput(),
        shape: [2],
        data: undefined,
        bytes: Buffer.concat([bytesTensor('abc'), Buffer.alloc(2)]),
      },
      /String 1 is cut off/,
    ],
    [
      'a length of 4 GiB',
      { ...textInput(), shape: [1], data: undefined, bytes: Buffer.alloc(9, 0xff) },
      /String 0 is cut off/,
    ],
    [
      'more strings than the shape',
      { ...textInput(), shape: [1], data: undefined, bytes: bytesTensor('a', 'b') },
      /must have 1 strings, as its shape says; 5 bytes stand behind them/,
    ],
    [
      'an empty string',
      { ...textInput(), shape: [2], data: undefined, bytes: bytesTensor('a', '') },
      '`text.1` must not be empty. Given: ""',
    ],
    [
      'bytes that are no UTF-8',
      { ...textInput(), shape: [2], data: undefined, bytes: bytesTensor('a', Buffer.from([0x61, 0xc3])) },
      '`text.1` must be UTF-8: byte 1 is not.',
    ],
  ])('%s', async (_, input, message, status = 400) => {
    const answer = await infer(service, { inputs: [input] })
    expect([answer.status, errorOf(answer)]).toEqual([
      status,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ])
  })
})

describe('a body that is one text', () => {
  const raw = (text: string | Buffer, headers = {}) =>
    post(service, INFER, text, {
      'inference-header-content-length': '0',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    })

  test('is answered in bytes, as the native route answers it', async () => {
    const text = 'Hello, world! 🌊'
    const answer = await raw(Buffer.from(text))
    const expected = await nativeBytes({ text })
    expect(answer.status).toBe(200)
    const { outputs } = decoded(answer)
    expect(outputs.map(({ name }) => name)).toEqual(['input_ids', 'input_embeddings'])
    for (const { name, bytes } of outputs) expect(bytes, name).toEqual(expected[name])
  })

  test.each<[string, Buffer, number, string]>([
    ['empty', Buffer.alloc(0), 400, '`text` must not be empty. Given: an empty body'],
    ['no UTF-8', Buffer.from([0x61, 0xff]), 400, '`text` must be UTF-8: byte 1 of the body is not.'],
  ])('%s', async (_, body, status, message) => {
    const answer = await raw(body)
    expect([answer.status, errorOf(answer)]).toEqual([status, message])
  })
})
