import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tensorCount } from '../../../src/first-layer/embeddings/model.js'
import { MEDIA_TYPES } from '../../decode.js'
import { embed, listen, type TestService, testService } from '../../helper.js'
import { jsonRequest, open } from '../../raw-http.js'
import { until } from '../../until.js'

let service: TestService
beforeAll(async () => {
  service = await testService({ MAX_RESPONSE_BYTES: '100000000' })
})
afterAll(() => service.close())

const text = 'The boat came in on the printed figure. '
const call = { text, context_length: 4, stride: 2 }

const GOOD = [
  call,
  { ...call, encoding_format: 'base64', dtype: 'float16' },
  { text: [text, 'A shorter one.'], position_embedding: 'sinusoidal' },
  { text, position_embedding: 'rope' },
  { input_ids: [1, 2, 3], architecture: 'bert', token_type_ids: [0, 1, 1] },
  {
    text,
    architecture: 'transformer',
    outputs: ['input_embeddings', 'position_embeddings', 'token_embeddings'],
  },
]
const BAD = [
  { ...call, stride: 0 },
  { ...call, batch_size: 2, batch_index: 1000 },
  { text: 'short', context_length: 40 },
  { input_ids: [60_000] },
  { text, outputs: ['position_embeddings'], position_embedding: 'none' },
  { input_ids: [1], context_length: 10_000_000, tail: 'pad', position_embedding: 'none' },
]

test('a thousand requests, good and bad, leave no tensor and no block behind', async () => {
  const [tensors, blocks] = [tensorCount(), service.model.workspace.freeBlocks]
  const accepts = Object.values(MEDIA_TYPES)
  for (let i = 0; i < 200; i++) {
    const good = i % 4 !== 3
    const [body, accept] = good
      ? [GOOD[i % GOOD.length], accepts[i % 2 === 0 ? 0 : 2]]
      : [BAD[i % BAD.length], accepts[i % accepts.length]]
    const { status } = await embed(service, body, { accept })
    expect([200, 400, 413, 422]).toContain(status)
    expect(status === 200).toBe(good)
    expect([tensorCount(), service.model.workspace.freeBlocks]).toEqual([tensors, blocks])
  }
})

test('answers that are broken off leave none behind either', async () => {
  const port = await listen(service)
  const [tensors, blocks] = [tensorCount(), service.model.workspace.freeBlocks]
  const ended = () => service.log.lines.filter(({ brokenOff }) => brokenOff === true).length
  const large = { input_ids: [1], context_length: 1_000_000, tail: 'pad' }
  for (let i = 0; i < 12; i++) {
    const body = {
      ...large,
      position_embedding: i % 2 === 0 ? 'none' : 'sinusoidal',
      dtype: i % 3 === 0 ? 'bfloat16' : 'float32',
    }
    const socket = await open(port)
    socket.write(jsonRequest('/v1/input-embeddings', JSON.stringify(body), [`Accept: ${MEDIA_TYPES.raw}`]))
    await once(socket, 'readable')
    const before = ended()
    socket.destroy()
    await until(() => ended() > before)
  }
  await until(() => service.model.workspace.freeBlocks === blocks)
  expect(tensorCount()).toBe(tensors)
})
