import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, type TestService, testService } from '../helper.js'
import { curlCalls } from './curl.js'

const PAGE = readFileSync('docs/kserve.md', 'utf8')
const [asJson, asBytes] = curlCalls(PAGE)

describe('docs/kserve.md', () => {
  let service: TestService
  let base: string
  beforeAll(async () => {
    service = await testService()
    base = `http://127.0.0.1:${await listen(service)}`
  })
  afterAll(() => service.close())

  const ask = ({ url, init }: typeof asJson) => fetch(url.replace('http://localhost:8000', base), init)

  it('asks for tensors in JSON', async () => {
    const answer = await ask(asJson)
    expect(answer.status).toBe(200)
    const { outputs } = (await answer.json()) as { outputs: { name: string; shape: number[] }[] }
    expect(outputs.map(({ name, shape }) => [name, shape])).toEqual([
      ['input_ids', [1, 4]],
      ['input_embeddings', [1, 4, 8]],
    ])
  })

  it('asks with a text as the body for tensors as bytes', async () => {
    const answer = await ask(asBytes)
    expect(answer.status).toBe(200)
    const jsonBytes = Number(answer.headers.get('inference-header-content-length'))
    const bytes = Buffer.from(await answer.arrayBuffer())
    const { outputs } = JSON.parse(bytes.subarray(0, jsonBytes).toString())
    const sizes = outputs.map((output: { parameters: { binary_data_size: number } }) => {
      return output.parameters.binary_data_size
    })
    expect(jsonBytes + sizes.reduce((sum: number, size: number) => sum + size)).toBe(bytes.length)
  })

  it('has no other calls of curl', () => {
    expect(curlCalls(PAGE)).toHaveLength(2)
  })
})
