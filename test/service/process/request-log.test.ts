import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MEDIA_TYPES } from '../../decode.js'
import { embed, listen, post, type TestService, testService } from '../../helper.js'
import { exchange } from '../../raw-http.js'

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

  test('never has the text, in no form, whatever becomes of the request; nor a key', async () => {
    const bodies: (object | string | Buffer)[] = [
      { text },
      { text: [text, text] },
      { text, context_length: 4, stride: 1, shuffle: true, seed: 1 },
      { text, unknown: text },
      { [text]: text },
      { text, model: text },
      { text, outputs: [text] },
      { text, allowed_special: [text] },
      { text, position_embedding: { type: text } },
      { text, seed: text },
      { text: `${text}\ud800` },
      `{"text": "${text}`,
      `${text}`,
      Buffer.concat([Buffer.from(`{"text":"${text}`), Buffer.from([0xff]), Buffer.from('"}')]),
    ]
    for (const body of bodies) {
      for (const url of [
        '/v1/input-embeddings',
        '/v1/tokenize',
        `/v1/input-embeddings?text=${SECRET}`,
        `/v1/${SECRET}`,
      ]) {
        await post(service, url, body, KEY)
        await post(service, url, body, { ...KEY, 'content-type': 'text/plain' })
        await post(service, url, body, { authorization: 'Bearer wr0ng-key' })
      }
    }
    const port = await listen(service)
    await exchange(port, `${SECRET} / HTTP/1.1\r\n\r\n`)
    await exchange(port, `POST /v1/tokenize HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n${text}`, {
      halfClose: true,
    })
    expect(service.log.lines.length).toBeGreaterThan(100)
    for (const trace of [SECRET, Buffer.from(text).toString('base64').slice(4, 30), 's3cr3t', 'wr0ng']) {
      expect(service.log.text.includes(trace), trace).toBe(false)
    }
    expect(service.log.lines.some(({ level }) => (level as number) > 30)).toBe(false)
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
