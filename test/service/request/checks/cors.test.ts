import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../../../src/models/variables.js'
import { HEADERS, readConfig } from '../../../../src/service/features.js'
import { listen, type TestService, testService } from '../../../helper.js'
import { exchange, jsonRequest } from '../../../raw-http.js'
import { DOCUMENT } from '../../document/documented.js'

const ORIGIN = 'https://page.example'
/** Headers that the contract lets a caller send, except those that every page may. */
const REQUEST_HEADERS =
  'Accept, Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Inference-Header-Content-Length, Range, traceparent, tracestate, X-Request-Id, X-Request-Timeout'

const BODY = { text: 'one two three four five', context_length: 2, batch_size: 1, outputs: ['input_ids'] }

function preflight({ app }: TestService, origin: string, url = '/v1/input-embeddings') {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  }
  return app.inject({ method: 'OPTIONS', url, headers })
}

type Named = Readonly<{ name: string; in?: string }>

const list = (header: unknown) => String(header).split(', ')

function corsHeaders(headers: object): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}

describe('with origins', () => {
  let service: TestService
  beforeAll(async () => {
    service = await testService({ CORS_ORIGINS: `${ORIGIN}, http://localhost:3000` })
  })
  afterAll(() => service.close())

  test('a preflight from one of them is answered', async () => {
    const answer = await preflight(service, ORIGIN)
    expect(answer.statusCode).toBe(204)
    expect(answer.body).toBe('')
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': '600',
      vary: 'Origin',
    })
  })

  test.each(['http://localhost:3000', ORIGIN])('an answer may be read by %s, errors too', async (origin) => {
    for (const payload of [BODY, { wrong: true }]) {
      const answer = await service.app.inject({
        method: 'POST',
        url: '/v1/input-embeddings',
        headers: { origin },
        payload,
      })
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin, Accept' })
    }
    const missing = await service.app.inject({ url: '/nope', headers: { origin } })
    expect(missing.statusCode).toBe(404)
    expect(missing.headers['access-control-allow-origin']).toBe(origin)
  })

  test.each([
    'https://other.example',
    'http://page.example',
    `${ORIGIN}:444`,
    'null',
    `${ORIGIN}.evil.example`,
  ])('nothing is allowed to %s', async (origin) => {
    const asked = await preflight(service, origin)
    expect(asked.statusCode).toBe(405)
    const answer = await service.app.inject({ url: '/v1/models', headers: { origin } })
    expect(answer.statusCode).toBe(200)
    expect(corsHeaders(answer.headers)).toEqual([])
    expect(answer.headers.vary).toBe('Origin')
  })

  test('an OPTIONS that is no preflight is a 405, and a 404 where there is no route', async () => {
    const plain = await service.app.inject({
      method: 'OPTIONS',
      url: '/v1/models',
      headers: { origin: ORIGIN },
    })
    expect(plain.statusCode).toBe(405)
    expect(plain.headers.allow).toBe('GET, HEAD')
    expect((await service.app.inject({ method: 'OPTIONS', url: '/nope' })).statusCode).toBe(404)
  })

  test('every header of ours can be read by a script', async () => {
    const names = new Set<string>()
    for (const accept of ['application/json', 'application/octet-stream', 'application/vnd.safetensors']) {
      const headers = { accept, origin: ORIGIN }
      const answer = await service.app.inject({
        method: 'POST',
        url: '/v1/input-embeddings',
        headers,
        payload: BODY,
      })
      expect(answer.statusCode).toBe(200)
      for (const name of Object.keys(answer.headers)) if (/^x-(?!content|frame)/.test(name)) names.add(name)
      const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase().split(', ')
      for (const name of names) expect(exposed).toContain(name)
    }
    expect(names.size).toBeGreaterThan(7)
  })

  test('the headers of features may be read and sent too', async () => {
    const { parameters, headers } = DOCUMENT.components as Record<string, Record<string, Named>>
    const sent = Object.values(parameters).filter((each) => each.in === 'header')
    const { headers: allowed } = await preflight(service, ORIGIN)
    expect(list(allowed['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(sent.map(({ name }) => name)),
    )
    const answer = await service.app.inject({ url: '/v1/models', headers: { origin: ORIGIN } })
    expect(list(answer.headers['access-control-expose-headers'])).toEqual(Object.keys(headers))
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['X-Recipe-Id', 'X-Tensor-Name']))
  })
})

test('a preflight allows the headers that it asks for, as the OpenAI SDK sends its own', async () => {
  const service = await testService({ CORS_ORIGINS: ORIGIN })
  const names = 'authorization,content-type,x-stainless-lang, x-stainless-retry-count,b ad,'
  const headers = {
    origin: ORIGIN,
    'access-control-request-method': 'POST',
    'access-control-request-headers': names,
  }
  const answer = await service.app.inject({ method: 'OPTIONS', url: '/v1/embeddings', headers })
  expect(answer.headers['access-control-allow-headers']).toBe(
    `${REQUEST_HEADERS}, x-stainless-lang, x-stainless-retry-count`,
  )
  await service.close()
})

test('any origin is any origin', async () => {
  const service = await testService({ CORS_ORIGINS: '*' })
  expect((await preflight(service, 'https://who.example')).headers['access-control-allow-origin']).toBe('*')
  const answer = await service.app.inject({ url: '/v1/models', headers: { origin: 'null' } })
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  expect(answer.headers['access-control-expose-headers']).toBe(Object.keys(HEADERS).join(', '))
  expect(answer.headers.vary).toBeUndefined()
  await service.close()
})

test('by default no page of another origin is told anything', async () => {
  const service = await testService()
  expect((await preflight(service, ORIGIN)).statusCode).toBe(405)
  const answer = await service.app.inject({ url: '/v1/models', headers: { origin: ORIGIN } })
  expect(corsHeaders(answer.headers)).toEqual([])
  await service.close()
})

test.each([
  'page.example',
  `${ORIGIN}/`,
  `${ORIGIN},`,
  'null',
  'https://page.example/path',
  'https://Page.example',
])('CORS_ORIGINS cannot be %s', (given) => {
  expect(() => readConfig({ CORS_ORIGINS: given })).toThrow(ConfigError)
  expect(() => readConfig({ CORS_ORIGINS: given })).toThrow(/^CORS_ORIGINS must be "\*", or origins such as/)
})

const DATA_NOT_PAGES = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

test('every answer tells the browser that it is data, not a page', async () => {
  const service = await testService()
  for (const url of ['/v1/models', '/nope', '/health/live', '/metrics']) {
    expect((await service.app.inject(url)).headers).toMatchObject(DATA_NOT_PAGES)
  }
  await service.close()
})

const CLOSE = ['Connection: close']
const post = (body: object) => jsonRequest('/v1/input-embeddings', JSON.stringify(body), CLOSE)
test.each([
  ['a whole one', post({ text: 'In the heart of the city', context_length: 4 }), 200],
  ['one in blocks', post({ text: 'a b '.repeat(9000), context_length: 256 }), 200],
  ['an error', post({}), 400],
  [
    'a refusal while the body comes',
    jsonRequest('/v1/nothing', 'x'.repeat(1 << 20), ['Connection: close']),
    404,
  ],
  ['a head alone', 'HEAD /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 200],
])('so does each way in which answers leave: %s', async (_way, request, status) => {
  const service = await testService()
  const answers = await exchange(await listen(service), request).catch((error) => error)
  expect(answers).toMatchObject([
    { status, headers: { ...DATA_NOT_PAGES, 'x-request-id': expect.any(String) } },
  ])
  await service.close()
})
