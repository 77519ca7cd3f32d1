import { describe, expect, it } from 'vitest'
import { service } from '../document/documented.js'

describe('the method QUERY, which the framework wants a Content-Type of', () => {
  it.each([
    ['/nowhere', 404, 'not_found'],
    ['/v1/tokenize', 405, 'method_not_allowed'],
    ['/health/live', 405, 'method_not_allowed'],
  ])('on %s is %d %s without one', async (url, status, code) => {
    const answer = await (await service()).inject({ method: 'QUERY' as 'GET', url })
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code])
  })
})
