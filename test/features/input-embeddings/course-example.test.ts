import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeFloats, decodeSafetensors, MEDIA_TYPES } from '../../decode.js'
import { readGolden, sha256, verdictIds, verdictText } from '../../goldens.js'
import { embed, type TestService, testService } from '../../helper.js'

const { cases } = readGolden<{ cases: { id: string; expect: Record<string, string> }[] }>(
  'input_embeddings.json',
)
const golden = cases.find(({ id }) => id === 'book-simple-token-then-pos')!.expect
const INPUTS = golden.inputs as unknown as number[][]
const TARGETS = golden.targets as unknown as number[][]

/** Chapter 2 of the course: eight windows of four tokens, their rows plus the rows of their positions. */
const CALL = { context_length: 4, stride: 4, batch_size: 8, batch_index: 0 }

let service: TestService
beforeAll(async () => {
  service = await testService({ EMBEDDING_DIM: '256' }) // the default model
})
afterAll(() => service.close())

const text = verdictText()
describe.each([
  { from: 'the text', input: { text }, absent: text === undefined },
  { from: 'its ids', input: { input_ids: verdictIds() }, absent: false },
])('the course’s example from $from', ({ input, absent }) => {
  const call = { ...input, ...CALL }

  test.skipIf(absent)('as JSON numbers', async () => {
    const answer = await embed(service, call)
    expect(answer.status).toBe(200)
    const { outputs, ...counts } = answer.json()
    expect(counts).toEqual({
      model: 'default',
      model_version: '1',
      num_tokens: 5145,
      ...('text' in input ? { num_characters: 20_479 } : {}),
      num_windows: 1286,
      num_dropped_tokens: 0,
      num_batches: 161,
      num_dropped_windows: 0,
    })
    expect(Object.keys(outputs)).toEqual(['input_ids', 'input_embeddings'])
    expect(outputs.input_ids).toEqual({ dtype: 'int32', shape: [8, 4], data: INPUTS })
    const { input_embeddings } = decodeFloats(answer)
    expect(input_embeddings.shape).toEqual([8, 4, 256])
    expect(sha256(input_embeddings.bytes)).toBe(golden.input_embeddings_sha256_f32le)
  })

  test.skipIf(absent)('as safetensors', async () => {
    const answer = await embed(
      service,
      { ...call, outputs: ['target_ids', 'token_embeddings', 'position_embeddings', 'input_embeddings'] },
      { accept: MEDIA_TYPES.safetensors },
    )
    const { tensors, metadata } = decodeSafetensors(answer.body)
    expect(metadata).toMatchObject({ model: 'default', num_tokens: '5145', num_windows: '1286' })
    expect(sha256(tensors.input_embeddings.bytes)).toBe(golden.input_embeddings_sha256_f32le)
    expect(sha256(tensors.token_embeddings.bytes)).toBe(golden.token_embeddings_sha256_f32le)
    expect(tensors.position_embeddings.shape).toEqual([4, 256])
    expect(sha256(tensors.position_embeddings.bytes)).toBe(golden.pos_embeddings_sha256_f32le)
    expect(sha256(tensors.target_ids.bytes)).toBe(sha256(Int32Array.from(TARGETS.flat())))
  })
})
