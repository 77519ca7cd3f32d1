import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { AUTHORIZATION, type ManagedService, managedService } from '../../managed.js'

const GOLDENS = new URL('../../goldens/models/', import.meta.url)

let service: ManagedService
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: GOLDENS.pathname, MODELS: undefined }, () => {})
  service = await managedService({}, folders)
})
afterAll(() => service.close())

function call(method: 'GET' | 'PUT', path: string, payload?: Buffer) {
  const headers = { ...AUTHORIZATION, ...(payload && { 'content-type': 'application/vnd.safetensors' }) }
  return service.app.inject({ method, url: `/v1/models/${path}`, headers, payload })
}

test.each([
  ['roberta', ['wte.weight', 'wpe.weight', 'wtt.weight', 'norm.weight', 'norm.bias']],
  ['opt-350m-shape', ['wte.weight', 'wpe.weight', 'projection.weight']],
  ['t5', ['wte.weight', 'position.relative_attention_bias']],
  ['llama-bf16', ['wte.weight']],
])('the tables of %s are read back under our names, and put in their place again', async (name, tables) => {
  const read = await call('GET', `${name}/tables`)
  expect(read.statusCode).toBe(200)
  const names = JSON.parse(
    read.rawPayload.toString('utf8', 8, 8 + Number(read.rawPayload.readBigUInt64LE(0))),
  )
  expect(Object.keys(names).sort()).toEqual(['__metadata__', ...tables].sort())
  const put = await call('PUT', `${name}/tables`, read.rawPayload)
  expect(put.json()).toEqual({ model: name, model_version: '2' })
  const again = await call('GET', `${name}/tables`)
  expect(again.rawPayload.equals(read.rawPayload)).toBe(true)
})

test.each([
  ['GET', '/v1/models/llama-bf16/position-embeddings?context_length=2&position_embedding=learned_absolute'],
  ['HEAD', '/v1/models/llama-bf16/position-embeddings?context_length=2&position_embedding=learned_absolute'],
  ['POST', '/v1/input-embeddings?model=llama-bf16&context_length=2&position_embedding=learned_absolute'],
] as const)(
  '%s with a scheme whose rows the folder lacks is refused before an answer begins',
  async (method, url) => {
    const text = { headers: { ...AUTHORIZATION, 'content-type': 'text/plain' }, payload: 'a b c' }
    const answer = await service.app.inject({ method, url, ...(method === 'POST' ? text : {}) })
    expect(answer.statusCode).toBe(422)
    if (method === 'HEAD') return
    const { code, param, message } = answer.json().error
    expect([code, param]).toEqual(['unsupported_combination', 'position_embedding'])
    expect(message).toContain('wpe.weight')
  },
)
