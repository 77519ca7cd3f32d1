import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ERRORS } from '../../src/errors.js'
import { tensorCount } from '../../src/first-layer/embeddings/model.js'
import { positionSchemes } from '../../src/first-layer/embeddings/positions/registry.js'
import { embed, listen, post, type TestService, testService } from '../helper.js'
import { checkProperty } from '../property.js'
import { exchange, jsonRequest } from '../raw-http.js'
import { expectGoodRequest, LIMITS } from './bad-input.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService({
    ...LIMITS,
    MAX_JSON_RESPONSE_BYTES: '2000000',
    MAX_RESPONSE_BYTES: '2000000',
  })
  port = await listen(service)
})
afterAll(() => service.close())

/** What stands at the edges of every rule. */
// biome-ignore format: values
const someEdge = fc.constantFrom<unknown>(
  0, 1, -1, 2, 4, 1.5, -0, Number.MAX_VALUE, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), '', 'a', '4', '\ud800', '🌊', null, true, false, [], {}, [[]], [null], '__proto__',
)
const orEdge = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: values },
    { weight: 1, arbitrary: someEdge },
    { weight: 1, arbitrary: fc.jsonValue() },
  )

const someId = fc.oneof(fc.nat(50256), fc.nat(60_000))
const someText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const someSize = fc.integer({ min: 1, max: 40 })
const someScheme = fc.oneof(
  fc.constantFrom(...positionSchemes.map(({ type }) => type)),
  fc.constantFrom(...positionSchemes).chain(({ type, options }) =>
    fc
      .dictionary(fc.constantFrom(...Object.keys(options), 'other'), orEdge(fc.nat(130)), {
        maxKeys: 2,
      })
      .map((given) => ({ type, ...given })),
  ),
)

const someBody = fc.record(
  {
    text: orEdge(fc.oneof(someText, fc.array(someText, { maxLength: 4 }))),
    input_ids: orEdge(
      fc.oneof(
        fc.array(someId, { maxLength: 50 }),
        fc.array(fc.array(someId, { maxLength: 20 }), { maxLength: 4 }),
      ),
    ),
    token_type_ids: orEdge(fc.array(fc.nat(2), { maxLength: 5 })),
    model: orEdge(fc.constant('default')),
    context_length: orEdge(someSize),
    stride: orEdge(someSize),
    tail: orEdge(fc.constantFrom('drop', 'pad')),
    pad_token_id: orEdge(someId),
    batch_size: orEdge(someSize),
    batch_index: orEdge(fc.nat(3)),
    shuffle: orEdge(fc.boolean()),
    seed: orEdge(fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 65n }).map(String))),
    epoch: orEdge(fc.nat(5)),
    drop_last: orEdge(fc.boolean()),
    position_embedding: orEdge(someScheme),
    architecture: orEdge(fc.constantFrom('gpt2', 'bert', 'llama', 'transformer', 'deberta', 'bloom')),
    position_offset: orEdge(fc.nat(1100)),
    outputs: orEdge(
      fc.array(
        fc.constantFrom(
          'input_embeddings',
          'input_ids',
          'target_ids',
          'attention_mask',
          'position_embeddings',
          'cos',
        ),
        { maxLength: 4 },
      ),
    ),
    dtype: orEdge(fc.constantFrom('float32', 'float16', 'bfloat16')),
    encoding_format: orEdge(fc.constantFrom('float', 'base64')),
    allowed_special: orEdge(fc.constantFrom('all', [], ['<|endoftext|>'])),
  },
  { requiredKeys: [] },
)

const someAccept = fc.constantFrom(
  'application/json',
  'application/x-npy',
  'application/vnd.safetensors',
  'application/octet-stream',
  '*/*',
)

const CODES = new Set(Object.entries(ERRORS).map(([code, { status }]) => `${status} ${code}`))

/** Fewer fields, so that some requests are right: one of the documents, and a few others. */
const fewFields = someBody.chain((body) =>
  fc
    .tuple(fc.constantFrom('text', 'input_ids'), fc.shuffledSubarray(Object.keys(body), { maxLength: 5 }))
    .map(([documents, names]) => {
      const kept = [documents, ...names.filter((name) => name !== 'text' && name !== 'input_ids')]
      return Object.fromEntries(Object.entries(body).filter(([name]) => kept.includes(name)))
    }),
)

test('no request brings out a defect: each is answered, or refused as documented', async () => {
  const tensors = tensorCount()
  let good = 0
  await checkProperty(
    fc.asyncProperty(fewFields, someAccept, async (body, accept) => {
      const answer = await embed(service, body, { accept })
      if (answer.status === 200) {
        good++
        return
      }
      const { error } = answer.json()
      expect(CODES.has(`${answer.status} ${error.code}`), JSON.stringify(error)).toBe(true)
      expect(error.code, JSON.stringify(body)).not.toBe('internal')
      expect(typeof error.message).toBe('string')
      expect(error.message.isWellFormed()).toBe(true)
    }),
    3000,
  )
  expect(good).toBeGreaterThan(100)
  expect(tensorCount()).toBe(tensors)
  await expectGoodRequest(service)
})

test('nor does one to the other routes', async () => {
  const someTokens = fc.record(
    {
      text: orEdge(someText),
      input_ids: orEdge(fc.array(someId, { maxLength: 30 })),
      encoding: orEdge(fc.constantFrom('gpt2', 'cl100k_base')),
      allowed_special: orEdge(fc.constant('all')),
      count_only: orEdge(fc.boolean()),
    },
    { requiredKeys: [] },
  )
  await checkProperty(
    fc.asyncProperty(someTokens, fc.constantFrom('/v1/tokenize', '/v1/detokenize'), async (body, url) => {
      const answer = await post(service, url, body)
      if (answer.status !== 200) expect(CODES.has(`${answer.status} ${answer.json().error.code}`)).toBe(true)
      expect(answer.status).not.toBe(500)
    }),
    500,
  )
})

test('nor do bytes: what is no HTTP, and HTTP with a byte changed', async () => {
  const request = Buffer.from(
    jsonRequest('/v1/input-embeddings', '{"input_ids":[1],"outputs":["input_ids"]}', ['Connection: close']),
  )
  const changed = fc.tuple(fc.nat(request.length - 1), fc.nat(255)).map(([at, byte]) => {
    const copy = Buffer.from(request)
    copy[at] = byte
    return copy
  })
  const noise = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes))
  await checkProperty(
    fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: changed }, noise), async (bytes) => {
      for (const { status, body } of await exchange(port, bytes, { halfClose: true })) {
        if (status === 200) continue
        const { error } = JSON.parse(body.toString())
        // A changed byte of the path can lead to /v2, where an error is a string, as the protocol has it.
        if (typeof error !== 'string')
          expect(CODES.has(`${status} ${error.code}`), body.toString()).toBe(true)
        expect(status).not.toBe(500)
      }
    }),
    400,
  )
  await expectGoodRequest(service)
})
