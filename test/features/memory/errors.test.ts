import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { decodeSafetensors, MEDIA_TYPES } from '../../decode.js'
import { embed, post, type TestService, testService } from '../../helper.js'
import { tableFile } from '../../table-files.js'
import { readTorchFile } from '../../torch-file.js'

const GOLDENS = new URL('../../goldens/memory/', import.meta.url).pathname
const FOLDER = mkdtempSync(join(tmpdir(), 'memory-'))
const NAMES = ['qwen4_exp', 'qwen4_exp_text', 'gemma3n', 'gemma4', 'blt', 'hy_v4']

/** Writes a size of heads that leads beyond the table. */
function writeWrongSize(): void {
  const path = join(FOLDER, 'qwen4_exp_text/model.safetensors')
  const file = readFileSync(path)
  const end = 8 + Number(file.readBigUInt64LE(0))
  const header = JSON.parse(file.toString('utf8', 8, end))
  const name = Object.keys(header).find((each) => each.endsWith('ngram_heads_vocab_sizes'))!
  file.writeBigInt64LE(1000n, end + header[name].data_offsets[0])
  writeFileSync(path, file)
}

/** DeepSeek V4 with the tensor's name as it is published. */
function writeDeepSeek(name: string, more: object): void {
  mkdirSync(join(FOLDER, name))
  const config = { model_type: 'deepseek_v4', vocab_size: 96, hidden_size: 2, dtype: 'float32', ...more }
  writeFileSync(join(FOLDER, name, 'config.json'), JSON.stringify(config))
  const numbers = Array.from({ length: 192 }, (_, i) => i)
  const file = tableFile({ 'embed.weight': { shape: [96, 2], numbers } })
  writeFileSync(join(FOLDER, name, 'model.safetensors'), file)
}

let service: TestService
beforeAll(async () => {
  for (const name of NAMES) cpSync(GOLDENS + name, join(FOLDER, name), { recursive: true })
  writeWrongSize()
  writeDeepSeek('deepseek_v4', {})
  writeDeepSeek('unrouted', { num_hash_layers: 0 })
  const folders = await folderEntries({ MODELS_DIR: FOLDER, MODELS: undefined }, () => {})
  service = await testService({}, { folders })
})
afterAll(async () => {
  await service.close()
  rmSync(FOLDER, { recursive: true })
})

const ask = (model: string, more: object) =>
  embed(
    service,
    {
      model,
      input_ids: [
        [5, 7, 11],
        [13, 2, 6],
      ],
      ...more,
    },
    { accept: MEDIA_TYPES.safetensors },
  )

test.each([
  ['hy_v4', { outputs: ['ngram_ids'] }, /^`outputs` must be among .*\. Given: ngram_ids$/, 'outputs'],
  [
    'gemma3n',
    { outputs: ['ngram_embeddings'] },
    /^`outputs` must be among .*\. Given: ngram_embeddings$/,
    'outputs',
  ],
  [
    'qwen4_exp',
    { outputs: ['per_layer_inputs'] },
    /^`outputs` must be among .*\. Given: per_layer_inputs$/,
    'outputs',
  ],
  [
    'default',
    { outputs: ['hidden_streams'], input_ids: [1] },
    /^`outputs` must be among .*\. Given: hidden_streams$/,
    'outputs',
  ],
  ['hy_v4', { ngram_context: 'document' }, /^`ngram_context` must not be given for hy_v4/, 'ngram_context'],
])('%s refuses what its family has not: %j', async (model, more, message, param) => {
  const answer = await ask(model, more)
  expect([answer.status, answer.json().error]).toMatchObject([
    422,
    { code: 'unsupported_combination', message: expect.stringMatching(message), param },
  ])
})

test.each([
  [[[1, 2, 3]], 'an array of 1'],
  [[[1, 2, 3, 4], []], 'an array of 4'],
  [[[1], [96]], 'an array of 1'],
  [[[1], [-1]], 'an array of 1'],
])('a context of other rows or ids is refused: %j', async (ngram_context, given) => {
  const answer = await ask('qwen4_exp', { outputs: ['ngram_ids'], ngram_context })
  expect([answer.status, answer.json().error.message]).toEqual([
    400,
    `\`ngram_context\` must have 2 rows of at most 3 ids of 0 to 95. Given: ${given}`,
  ])
})

test('prompts have what blocks look up beside them, and go to transformers alone', async () => {
  const input_ids = [[5, 7, 11], [13]]
  const gemma = (
    await post(service, '/v1/prompt-embeds', { model: 'gemma4', input_ids, target: 'transformers' })
  ).json()
  for (const [d, ids] of input_ids.entries()) {
    const outputs = ['inputs_embeds', 'per_layer_inputs']
    const { tensors } = decodeSafetensors((await ask('gemma4', { input_ids: [ids], outputs })).body)
    for (const [field, output] of [
      ['prompt_embeds', 'inputs_embeds'],
      ['per_layer_inputs', 'per_layer_inputs'],
    ]) {
      const tensor = readTorchFile(Buffer.from(gemma[field!][d], 'base64'))
      expect(tensor.shape).toEqual(tensors[output!]!.shape.slice(1))
      expect(tensor.bytes.equals(tensors[output!]!.bytes)).toBe(true)
    }
  }
  const qwen = await post(service, '/v1/prompt-embeds', {
    model: 'qwen4_exp',
    input_ids,
    target: 'transformers',
  })
  expect(qwen.json()).toMatchObject({ ple_input_ids: input_ids, num_tokens: [3, 1] })
  const blt = (await post(service, '/v1/prompt-embeds', { model: 'blt', input_ids })).json()
  const { tensors } = decodeSafetensors(
    (await ask('blt', { input_ids: [input_ids[0]], outputs: ['inputs_embeds'] })).body,
  )
  expect(
    readTorchFile(Buffer.from(blt.prompt_embeds[0], 'base64')).bytes.equals(tensors.inputs_embeds!.bytes),
  ).toBe(true)
  for (const model of ['gemma3n', 'gemma4', 'qwen4_exp'])
    for (const target of ['vllm', 'sglang']) {
      const answer = await post(service, '/v1/prompt-embeds', { model, input_ids, target })
      expect(answer.status).toBe(422)
      expect(answer.json().error).toMatchObject({ code: 'unsupported_combination', param: 'target' })
      expect(answer.json().error.message).toContain('its blocks look rows up by id: send ids')
    }
})

test.each(['vllm', 'transformers', 'sglang'])(
  'no engine gets rows of DeepSeek V4, whose blocks route by id: %s',
  async (target) => {
    const input_ids = [5, 7]
    const answer = await post(service, '/v1/prompt-embeds', { model: 'deepseek_v4', input_ids, target })
    expect([answer.status, answer.json().error]).toMatchObject([
      422,
      { code: 'unsupported_combination', param: 'model' },
    ])
    expect(answer.json().error.message).toContain('choose experts by the token’s id: send ids')
    const others = await post(service, '/v1/prompt-embeds', { model: 'unrouted', input_ids, target })
    expect([others.status, others.json().shape]).toEqual([200, [[2, 2]]])
    const streams = await ask('deepseek_v4', { outputs: ['hidden_streams'] })
    expect(decodeSafetensors(streams.body).tensors.hidden_streams!.shape).toEqual([2, 3, 4, 2])
  },
)

test('an answer beyond the limit is refused before a row is read', async () => {
  const small = await testService(
    { MAX_RESPONSE_BYTES: '1000' },
    { folders: await folderEntries({ MODELS_DIR: FOLDER, MODELS: undefined }, () => {}) },
  )
  const body = { model: 'qwen4_exp', input_ids: Array(20).fill(7), outputs: ['ngram_embeddings'] }
  const answer = await embed(small, body, { accept: MEDIA_TYPES.safetensors })
  expect([answer.status, answer.json().error.code]).toEqual([413, 'response_too_large'])
  await small.close()
})

test('sizes of heads that lead beyond the table fail the model', async () => {
  const answer = await ask('qwen4_exp_text', { outputs: ['input_ids'] })
  const { code, message } = answer.json().error
  expect([answer.status, code]).toEqual([503, 'model_failed'])
  expect(message).toMatch(
    /^model\.safetensors, ".*": must have \d+ rows, by the sizes and offsets of its heads\. Found: \d+$/,
  )
  expect((await service.app.inject('/v1/models/qwen4_exp_text')).json().state).toBe('failed')
})

test('a file that has become shorter fails the model, by file, tensor and row', async () => {
  expect((await ask('qwen4_exp', { outputs: ['ngram_ids'] })).status).toBe(200)
  const path = join(FOLDER, 'qwen4_exp/model.safetensors')
  const length = Number(readFileSync(path).readBigUInt64LE(0))
  truncateSync(path, 8 + length)
  const answer = await ask('qwen4_exp', { outputs: ['ngram_embeddings'] })
  expect(answer.status).toBe(503)
  const { code, message } = answer.json().error
  expect(code).toBe('model_failed')
  expect(message).toMatch(
    /^model\.safetensors, "\S+ngram_embedding\.shard_\d\.weight": rows (\d+) to \1 cannot be read: /,
  )
  const { state, error } = (await service.app.inject('/v1/models/qwen4_exp')).json()
  expect([state, error]).toEqual(['failed', { code, message }])
  const next = await ask('qwen4_exp', { outputs: ['input_ids'] })
  expect([next.status, next.json().error.message]).toEqual([503, message])
})
