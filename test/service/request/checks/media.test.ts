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
