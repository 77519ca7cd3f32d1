import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Decoded,
  decodeBase64,
  decodeFloats,
  decodeNpy,
  decodeRaw,
  decodeSafetensors,
} from '../../decode.js'
import { embed, post, type TestService, testService } from '../../helper.js'
import { readTorchFile } from '../../torch-file.js'
import { decoded, infer, textInput } from '../open-inference/inference.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const TEXT = 'Hello, world! This is the first layer.'
const INTEGERS = [
  'target_ids',
  'input_ids',
  'attention_mask',
  'position_ids',
  'document_ids',
  'window_starts',
]
const FIELDS = { text: TEXT, context_length: 4, tail: 'pad' }

/** int32 as they came, widened with the sign: a padded target is −100. */
function widened({ bytes }: Pick<Decoded, 'bytes'>): Buffer {
  const narrow = Array.from({ length: bytes.length / 4 }, (_, i) => BigInt(bytes.readInt32LE(4 * i)))
  return Buffer.from(BigInt64Array.from(narrow).buffer)
}

async function tensors(fields: object): Promise<Record<string, Decoded>> {
  const answer = await embed(service, { ...FIELDS, ...fields }, { accept: 'application/vnd.safetensors' })
  return decodeSafetensors(answer.body).tensors
}

async function one(name: string, accept: string) {
  return embed(service, { ...FIELDS, outputs: [name], ids_dtype: 'int64' }, { accept })
}

describe('`ids_dtype: int64`', () => {
  test('makes ids, masks, positions and indices int64 in a safetensors file, floats stay', async () => {
    const outputs = ['input_embeddings', ...INTEGERS]
    const narrow = await tensors({ outputs })
    const wide = await tensors({ outputs, ids_dtype: 'int64' })
    for (const name of INTEGERS) {
      expect([narrow[name].dtype, wide[name].dtype], name).toEqual(['int32', 'int64'])
      expect(wide[name].shape, name).toEqual(narrow[name].shape)
      expect(wide[name].bytes, name).toEqual(widened(narrow[name]))
    }
    expect(wide.target_ids.bytes.readBigInt64LE(wide.target_ids.bytes.length - 8)).toBe(-100n)
    expect(wide.input_embeddings).toEqual(narrow.input_embeddings)
  })

  test('gives the same numbers in every format', async () => {
    const { target_ids: expected } = await tensors({ outputs: ['target_ids'], ids_dtype: 'int64' })
    const json = await one('target_ids', 'application/json')
    expect(decodeFloats(json).target_ids).toEqual(expected)
    const packed = await embed(service, {
      ...{ ...FIELDS, outputs: ['target_ids'], ids_dtype: 'int64', encoding_format: 'base64' },
    })
    expect(decodeBase64(packed).target_ids).toEqual(expected)
    expect(decodeNpy((await one('target_ids', 'application/x-npy')).body)).toEqual(expected)
    const raw = decodeRaw(await one('target_ids', 'application/octet-stream'))
    expect(raw).toEqual({ name: 'target_ids', ...expected })
    const torch = readTorchFile((await one('target_ids', 'application/x-pytorch')).body)
    expect([torch.storage, torch.bytes]).toEqual(['torch.LongStorage', expected.bytes])
    const parameters = { context_length: 4, tail: 'pad', ids_dtype: 'int64', binary_data_output: true }
    const asked = { inputs: [textInput(TEXT)], parameters }
    const outputs = [{ name: 'target_ids' }, { name: 'target_ids', parameters: { binary_data: true } }]
    for (const output of outputs) {
      const [got] = decoded(await infer(service, { ...asked, outputs: [output] })).outputs
      expect([got.datatype, got.shape]).toEqual(['INT64', expected.shape])
      const bytes = got.bytes ?? Buffer.from(BigInt64Array.from(got.data!.map(BigInt)).buffer)
      expect(bytes).toEqual(expected.bytes)
    }
  })

  test('counts beyond one block of elements', async () => {
    const input_ids = Array.from({ length: 150_000 }, (_, i) => i % 50_257)
    const body = { input_ids, context_length: 1000, outputs: ['input_ids'], ids_dtype: 'int64' }
    const { body: bytes } = await embed(service, body, { accept: 'application/octet-stream' })
    const got = new BigInt64Array(Uint8Array.from(bytes).buffer)
    expect(got).toEqual(BigInt64Array.from(input_ids.slice(0, got.length), BigInt))
    expect(got.length).toBeGreaterThan(2 * 65_536)
    const json = (await embed(service, body)).json()
    expect(json.outputs.input_ids.data.flat()).toEqual(input_ids.slice(0, got.length))
  })

  test('works in the query string beside raw text, and for the integers of a position scheme', async () => {
    const url = '/v1/input-embeddings?context_length=4&outputs=input_ids&ids_dtype=int64'
    const answer = await post(service, url, TEXT, {
      'content-type': 'text/plain',
      accept: 'application/x-npy',
    })
    expect(decodeNpy(answer.body).dtype).toBe('int64')
    const path = '/v1/models/default/position-embeddings?context_length=3&position_embedding=shaw'
    const query = '&position_embedding.head_dim=2&position_embedding.max_relative_position=2'
    const named = '&outputs=relative_position_index&ids_dtype=int64'
    const headers = { accept: 'application/x-npy' }
    const index = await service.app.inject({ url: `${path}${query}${named}`, headers })
    expect(decodeNpy(index.rawPayload).dtype).toBe('int64')
  })

  test('is int32 or int64', async () => {
    const wrong = await embed(service, { ...FIELDS, ids_dtype: 'int16' })
    expect([wrong.status, wrong.json().error.param]).toEqual([400, 'ids_dtype'])
  })
})

test('an inference with `batch_size` counts the batches', async () => {
  const parameters = { context_length: 2, batch_size: 3 }
  const answer = await infer(service, { inputs: [textInput(TEXT)], parameters })
  expect(decoded(answer).json.parameters.num_batches).toBe(2)
})
