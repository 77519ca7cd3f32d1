import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES } from '../../../src/checkpoints/families/families.js'
import { folderEntries } from '../../../src/models/folders.js'
import { decodeSafetensors, MEDIA_TYPES } from '../../decode.js'
import { embed, post, type TestService, testService } from '../../helper.js'
import { readTorchFile } from '../../torch-file.js'
import { bfloat16Bits } from '../../twins/sixteen-bits.js'

const GOLDENS = new URL('../../goldens/models/', import.meta.url)
const names = existsSync(GOLDENS) ? readdirSync(GOLDENS).sort() : []
const ROUTE = '/v1/prompt-embeds'
const IDS = [[5, 7, 11], [13]]
const ENCODERS = /^(albert|bert|deberta|distilbert|electra|modernbert|mpnet|roberta)/

let service: TestService
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: GOLDENS.pathname, MODELS: undefined }, () => {})
  service = await testService({}, { folders })
})
afterAll(() => service.close())

const STORAGES: Record<string, string> = {
  float32: 'torch.FloatStorage',
  float16: 'torch.HalfStorage',
  bfloat16: 'torch.BFloat16Storage',
}

/** Each document's rows of one of the tensors of the ordinary route. */
async function ordinary(model: string, dtype: string, output: string): Promise<Buffer[]> {
  const files = IDS.map(async (input_ids) => {
    const body = { model, input_ids, dtype, outputs: [output] }
    const answer = await embed(service, body, { accept: MEDIA_TYPES.safetensors })
    return Buffer.from(decodeSafetensors(answer.body).tensors[output]!.bytes)
  })
  return Promise.all(files)
}

const configOf = (name: string) => JSON.parse(readFileSync(new URL(`${name}/config.json`, GOLDENS), 'utf8'))

test.each(names)('%s: torch files of what the model’s own lookup gives', async (model) => {
  const { model_type } = configOf(model)
  expect(FAMILIES.map(({ modelType }) => modelType)).toContain(model_type)
  const answer = await post(service, ROUTE, { model, input_ids: IDS, target: 'transformers' })
  expect(answer.status, answer.body.toString('utf8', 0, 300)).toBe(200)
  const { dtype } = (await service.app.inject(`/v1/models/${model}`)).json()
  const expected = await ordinary(model, dtype, 'inputs_embeds')
  const { prompt_embeds, num_tokens, shape, ...rest } = answer.json()
  expect(rest).toEqual({ model, model_version: '1' })
  expect(num_tokens).toEqual([3, 1])
  expect(answer.headers['content-length']).toBe(String(answer.body.length))
  expect(answer.headers['x-model-version']).toBe('1')
  for (const [d, file] of (prompt_embeds as string[]).entries()) {
    const tensor = readTorchFile(Buffer.from(file, 'base64'))
    expect([tensor.storage, tensor.shape]).toEqual([STORAGES[dtype], shape[d]])
    expect(tensor.bytes.equals(expected[d]!)).toBe(true)
  }
  const toVllm = await post(service, ROUTE, { model, input_ids: IDS })
  if (ENCODERS.test(model) || /^(t5|bart)/.test(model)) {
    expect(toVllm.status).toBe(422)
    expect(toVllm.json().error).toMatchObject({ code: 'unsupported_combination', param: 'target' })
  } else expect(toVllm.json()).toEqual(answer.json())
})

describe('rows for SGLang', () => {
  test('are numbers, plain where it multiplies them itself', async () => {
    const answer = await post(service, ROUTE, { model: 'gemma-bf16', input_ids: IDS, target: 'sglang' })
    expect(answer.status).toBe(200)
    const { input_embeds, prompt_embeds, num_tokens, shape } = answer.json()
    expect([prompt_embeds, num_tokens, shape]).toEqual([
      undefined,
      [3, 1],
      [
        [3, 32],
        [1, 32],
      ],
    ])
    const expected = await ordinary('gemma-bf16', 'bfloat16', 'token_embeddings')
    const bytes = (input_embeds as number[][][]).map((rows) =>
      Buffer.from(Uint16Array.from(rows.flat(), bfloat16Bits).buffer),
    )
    expect(bytes.map((each, d) => each.equals(expected[d]!))).toEqual([true, true])
  })

  test('of Gemma 3 are multiplied by √C as it is, not rounded', async () => {
    const model = 'gemma3_text-f16'
    const body = { model, input_ids: IDS[0], dtype: 'float32' }
    const [plain] = await ordinary(model, 'float32', 'token_embeddings')
    const rows = new Float32Array(new Uint8Array(plain!).buffer)
    const { input_embeds, shape } = (await post(service, ROUTE, { ...body, target: 'sglang' })).json()
    const factor = Math.fround(Math.sqrt(shape[0][1]))
    expect(Float32Array.from(input_embeds.flat(2))).toEqual(rows.map((value) => value * factor))
  })
})

test.each([
  [{ text: 'a', model: 'default' }, 422, 'unsupported_combination', 'model'],
  [{ text: 'a', model: 'llama' }, 422, 'tokenizer_unavailable', 'model'],
  [{ text: 'a', model: 'nobody' }, 404, 'model_not_found', 'model'],
  [{ model: 'llama' }, 400, 'invalid_request', 'text'],
  [{ text: 'a', input_ids: [1], model: 'llama' }, 400, 'invalid_request', 'input_ids'],
  [{ input_ids: [1], model: 'llama', target: 'tgi' }, 400, 'invalid_request', 'target'],
  [{ input_ids: [1], model: 'llama', dtype: 'int8' }, 400, 'invalid_request', 'dtype'],
  [{ input_ids: [1], model: 'llama', context_length: 4 }, 400, 'invalid_request', 'context_length'],
  [{ input_ids: [1, 1_000_000], model: 'llama' }, 422, 'token_out_of_range', 'input_ids.1'],
  [{ input_ids: [], model: 'llama' }, 400, 'empty_input', 'input_ids'],
])('%j is %i %s', async (body, status, code, param) => {
  const answer = await post(service, ROUTE, body)
  expect([answer.status, answer.json().error.code, answer.json().error.param]).toEqual([status, code, param])
})

test('as many documents as a request may have are answered, each with its own length', async () => {
  const input_ids = Array.from({ length: 3000 }, (_, i) => Array.from({ length: 1 + (i % 3) }, () => i % 50))
  const answer = await post(service, ROUTE, { model: 'llama', input_ids })
  const { num_tokens, shape, prompt_embeds } = answer.json()
  expect(num_tokens).toEqual(input_ids.map((ids) => ids.length))
  expect(shape).toEqual(num_tokens.map((T: number) => [T, shape[0][1]]))
  expect(readTorchFile(Buffer.from(prompt_embeds[2999], 'base64')).shape).toEqual(shape[2999])
})

test('`Accept` names one tensor as a torch file; not several', async () => {
  const body = { model: 'llama-bf16', input_ids: [1, 2, 3], dtype: 'bfloat16', outputs: ['inputs_embeds'] }
  const accept = { accept: 'application/x-pytorch' }
  const answer = await embed(service, body, accept)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-pytorch'])
  expect(answer.headers['content-length']).toBe(String(answer.body.length))
  expect(readTorchFile(answer.body)).toMatchObject({ storage: 'torch.BFloat16Storage', shape: [1, 3, 32] })
  const ids = await embed(service, { ...body, outputs: ['input_ids'] }, accept)
  expect(readTorchFile(ids.body).bytes).toEqual(Buffer.from(Int32Array.of(1, 2, 3).buffer))
  const several = await embed(service, { ...body, outputs: ['inputs_embeds', 'input_ids'] }, accept)
  expect([several.status, several.json().error.param]).toEqual([400, 'outputs'])
})
