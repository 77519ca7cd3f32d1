import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Inlet } from '../../clients/typescript/src/client.js'
import { Refused } from '../../clients/typescript/src/errors.js'
import { folderEntries } from '../../src/models/sources/folders.js'
import { listen, type TestService, testService } from '../helper.js'
import { readTorchFile } from '../torch-file.js'

const GOLDENS = new URL('../goldens/', import.meta.url)
const ADMIN_KEY = 'admin-s3cret'

let service: TestService
let inlet: Inlet
beforeAll(async () => {
  const MODELS_DIR = new URL('models/', GOLDENS).pathname
  const folders = await folderEntries({ MODELS_DIR, MODELS: undefined }, () => {})
  service = await testService({ ADMIN_KEY }, { folders })
  inlet = new Inlet(`http://127.0.0.1:${await listen(service)}`, { key: ADMIN_KEY })
})
afterAll(() => service.close())

test('the TypeScript client puts PEFT’s file or arrays, lists, uses and deletes soft prompts', async () => {
  const adapter = new Uint8Array(readFileSync(new URL('soft-prompts/gpt2-3.safetensors', GOLDENS)))
  const put = await inlet.putPrompt('gpt2', 'adapter', adapter, { base_model: 'openai-community/gpt2' })
  expect(put).toMatchObject({ name: 'adapter', num_tokens: 3, shape: [3, 32] })
  const rows = {
    prompt_embeddings: { dtype: 'float32', shape: [2, 32], data: new Float32Array(64).fill(7) },
  } as const
  await inlet.putPrompt('gpt2', 'sevens', rows)
  expect((await inlet.prompts('gpt2')).data.map(({ name }) => name)).toEqual(['adapter', 'sevens'])
  expect(await inlet.prompt('gpt2', 'adapter')).toEqual(put)
  const answer = await inlet.promptEmbeds({ model: 'gpt2', input_ids: [1], prompt: 'sevens' })
  expect([answer.soft_prompt_tokens, answer.num_tokens]).toEqual([2, [3]])
  const { bytes } = readTorchFile(Buffer.from(answer.prompt_embeds![0]!, 'base64'))
  expect(new Float32Array(new Uint8Array(bytes).buffer).slice(0, 64)).toEqual(new Float32Array(64).fill(7))
  await inlet.deletePrompt('gpt2', 'sevens')
  await expect(inlet.prompt('gpt2', 'sevens')).rejects.toMatchObject({
    code: 'prompt_not_found',
    status: 404,
  })
})

test('what the base model’s name refuses comes to the service', async () => {
  const adapter = new Uint8Array(readFileSync(new URL('soft-prompts/gpt2-3.safetensors', GOLDENS)))
  const refused = inlet.putPrompt('gpt2', 'other', adapter, { base_model: 'llama' })
  await expect(refused).rejects.toBeInstanceOf(Refused)
  await expect(refused).rejects.toMatchObject({ code: 'unsupported_combination', param: 'base_model' })
})
