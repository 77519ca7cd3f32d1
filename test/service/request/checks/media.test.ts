import { describe, expect, it } from 'vitest'
import { service } from '../../document/documented.js'

describe('the Content-Type on a route that takes any', () => {
  const answered = async (type: string) => {
    const headers = { 'content-type': type }
    const app = await service()
    const payload = '{"inputs":[{"name":"input_ids","shape":[1],"datatype":"INT64","data":[1]}]}'
    return app.inject({ method: 'POST', url: '/v2/models/default/infer', headers, payload })
  }

  it.each(['garbage', 'text', '/json', 'text/', 'a b/c', 'text/plain, text/html'])(
    'is a media type: %s is refused',
    async (type) => {
      const answer = await answered(type)
      expect(answer.statusCode).toBe(415)
      expect(answer.json().error).toContain(type)
    },
  )

  it.each(['text/plain', 'application/json; charset=utf-8', ' image/png ', 'x/y;z'])(
    'may be any: %s',
    async (type) => {
      expect((await answered(type)).statusCode).toBe(200)
    },
  )
})

describe('the Content-Type on a route that takes JSON alone', () => {
  const answered = async (headers: Readonly<Record<string, string>>) =>
    (await service()).inject({ method: 'POST', url: '/v1/tokenize', headers, payload: '{"text":"a"}' })
  const JSON_NEEDED = '`Content-Type` must be application/json. Given: '

  it.each([
    [{}, `${JSON_NEEDED}nothing`],
    [{ 'content-type': 'text/plain' }, `${JSON_NEEDED}"text/plain"`],
    [{ 'content-type': 'application/jsonl' }, `${JSON_NEEDED}"application/jsonl"`],
    [
      { 'content-type': 'application/json; charset=latin1' },
      'The charset of `Content-Type` must be utf-8. Given: "latin1"',
    ],
    [
      { 'content-type': 'application/json', 'content-encoding': 'zstd' },
      '`Content-Encoding` must be one of identity, gzip, br, deflate. Given: "zstd"',
    ],
  ])('%j is refused', async (headers, message) => {
    const answer = await answered(headers)
    expect(answer.statusCode).toBe(415)
    expect(answer.json().error).toMatchObject({ code: 'unsupported_media_type', message })
  })
})

it.each([
  ['/v1/input-embeddings', 'application/json or text/plain'],
  ['/v1/datasets', 'application/json or text/plain or application/x-ndjson or application/octet-stream'],
])('%s names the media types that it takes', async (url, types) => {
  const headers = { 'content-type': 'image/png' }
  const { body } = await (await service()).inject({ method: 'POST', url, headers, payload: 'a' })
  expect(JSON.parse(body).error.message).toBe(`\`Content-Type\` must be ${types}. Given: "image/png"`)
})
