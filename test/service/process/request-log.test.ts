import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MEDIA_TYPES } from '../../decode.js'
import { embed, type TestService, testService } from '../../helper.js'

const SECRET = 'quokka'
const text = `The ${SECRET} told nobody, and nobody told the ${SECRET}.`

let service: TestService
beforeAll(async () => {
  service = await testService({ LOG_LEVEL: 'trace', API_KEYS: 'someone:s3cr3t-key' })
})
afterAll(() => service.close())

const KEY = { authorization: 'Bearer s3cr3t-key' }
const lastLine = () => service.log.lines.findLast(({ msg }) => msg === 'request') as Record<string, unknown>

describe('the log', () => {
  test('has one line a request: who, what, how much, how long', async () => {
    const before = service.log.lines.length
    await embed(
      service,
      { text, context_length: 4 },
      { ...KEY, 'x-request-id': 'run-7', accept: MEDIA_TYPES.npy },
    )
    expect(service.log.lines.slice(before).length).toBe(1)
    const line = service.log.lines[before]
    expect(line).toMatchObject({
      level: 30,
      msg: 'request',
      reqId: 'run-7',
      method: 'POST',
      route: '/v1/input-embeddings',
      status: 200,
      caller: 'someone',
      format: 'npy',
      numTokens: expect.any(Number),
      numWindows: expect.any(Number),
      bytesOut: expect.any(Number),
      tokenizeMs: expect.any(Number),
      embedAndWriteMs: expect.any(Number),
      totalMs: expect.any(Number),
    })
  })

  test('has the code of an error, and the field', async () => {
    await embed(service, { text, stride: -1 }, KEY)
    expect(lastLine()).toMatchObject({ status: 400, code: 'invalid_request', param: 'stride' })
    await embed(service, { text: ['a', ''] }, KEY)
    expect(lastLine()).toMatchObject({ code: 'empty_input', param: 'text.1' })
    await service.app.inject({ url: '/v1/nothing' })
    expect(lastLine()).toMatchObject({ status: 404, code: 'not_found', route: null })
  })

  test('leaves out what a caller has named: unknown fields and options', async () => {
    await embed(service, { text, [SECRET]: 1 }, KEY)
    expect(lastLine()).toMatchObject({ code: 'invalid_request' })
    expect(lastLine()).not.toHaveProperty('param')
    await embed(service, { text, position_embedding: { type: 'rope', [SECRET]: 1 } }, KEY)
    expect(lastLine()).toMatchObject({ param: 'position_embedding' })
  })
})

test('a defect is logged with its stack under the request’s id, and the caller sees nothing of it', async () => {
  const broken = await testService()
  const secret = 'a detail of the inside'
  Object.defineProperty(broken.model, 'workspace', {
    get() {
      throw new TypeError(secret)
    },
  })
  const answer = await embed(broken, { input_ids: [1] }, { 'x-request-id': 'run-8' })
  expect(answer.status).toBe(500)
  expect(answer.json().error).toMatchObject({ type: 'server_error', code: 'internal', param: null })
  expect(answer.body.toString()).not.toContain(secret)
  const line = broken.log.lines.find(({ level }) => level === 50)
  expect(line).toMatchObject({
    reqId: 'run-8',
    err: { message: secret, stack: expect.stringContaining('.ts') },
  })
  await broken.app.close()
})
