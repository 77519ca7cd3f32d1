import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TokenStream } from '../../../src/first-layer/tokens/tokenizer.js'
import { embed, listen, type TestService, testService } from '../../helper.js'
import { exchange, jsonRequest } from '../../raw-http.js'

/** A tokenizer that comes to no end. */
const ENDLESS: TokenStream = { write() {}, end: () => undefined, advance: () => true }

let service: TestService
beforeAll(async () => {
  service = await testService(
    { REQUEST_DEADLINE_SECONDS: '1' },
    {
      encoding: ({ encodeShort: _, ...rest }) => ({ ...rest, stream: () => ENDLESS }),
    },
  )
})
afterAll(() => service.close())

async function refusals(): Promise<number> {
  const { body } = await service.app.inject('/metrics')
  return Number(/inlet_refusals_total\{reason="deadline"\} (\d+)/.exec(body)?.[1])
}

describe('a deadline', () => {
  test('that passes before the answer has begun is a 504 that names the deadline, which the caller makes no longer', async () => {
    const before = await refusals()
    const answers = await Promise.all([
      embed(service, { text: 'a' }),
      embed(service, { text: 'a' }, { 'x-request-timeout': '1000' }),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(504)
      expect(answer.json().error).toEqual({
        type: 'timeout_error',
        code: 'deadline_exceeded',
        message: 'The answer must begin within 1 s, REQUEST_DEADLINE_SECONDS.',
        param: null,
      })
    }
    expect(await refusals()).toBe(before + 2)
  })

  test('is shortened by the caller', async () => {
    const answer = await embed(service, { text: 'a' }, { 'x-request-timeout': '0.05' })
    expect(answer.status).toBe(504)
    expect(answer.json().error.message).toBe(
      'The answer must begin within 0.05 s, as X-Request-Timeout asks.',
    )
  })

  test('is shortened by the caller where the service allows minutes', async () => {
    const patient = await testService(
      { REQUEST_DEADLINE_SECONDS: '300' },
      { encoding: ({ encodeShort: _, ...rest }) => ({ ...rest, stream: () => ENDLESS }) },
    )
    const answer = await embed(patient, { text: 'a' }, { 'x-request-timeout': '0.05' })
    expect(answer.status).toBe(504)
    await patient.close()
  })

  test('that has passed when the head is read is a 504 of any body', async () => {
    const now = { 'x-request-timeout': '0.0000001' }
    for (const text of ['a', 'a'.repeat(100_000)])
      expect((await embed(service, { text }, now)).status).toBe(504)
    expect((await service.app.inject({ url: '/v1/models', headers: now })).statusCode).toBe(504)
  })

  test('of 10^9 s or more is refused by that rule', async () => {
    const { message } = (await embed(service, { text: 'a' }, { 'x-request-timeout': '1000000000' })).json()
      .error
    expect(message).toContain('below 10^9')
  })

  test('is no matter where the answer is there in time', async () => {
    const answer = await embed(service, { input_ids: [1] }, { 'x-request-timeout': '30.5' })
    expect(answer.status).toBe(200)
  })

  test.each(['0', '-1', '1e3', 'soon', '', '1.'])('is refused as %j', async (given) => {
    const answer = await embed(service, { input_ids: [1] }, { 'x-request-timeout': given })
    expect(answer.status).toBe(400)
    expect(answer.json().error).toMatchObject({ code: 'invalid_request', param: 'x-request-timeout' })
    expect(answer.json().error.message).toContain(JSON.stringify(given))
  })

  test('ends the work: the tokenizer is not asked again', async () => {
    let steps = 0
    ENDLESS.advance = () => {
      steps++
      return true
    }
    await embed(service, { text: 'a' }, { 'x-request-timeout': '0.05' })
    const then = steps
    await embed(service, { input_ids: [1] })
    expect(steps).toBe(then)
  })
})

test('a body that does not arrive in time is a 504 too, and the connection ends', async () => {
  const port = await listen(service)
  const whole = jsonRequest('/v1/input-embeddings', '{"text": "a"}', ['X-Request-Timeout: 0.1'])
  const [answer] = await exchange(port, whole.slice(0, -5))
  expect(answer.status).toBe(504)
  expect(answer.headers.connection).toBe('close')
})
