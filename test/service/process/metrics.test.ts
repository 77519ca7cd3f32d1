import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SelectedBackend } from '../../../src/first-layer/embeddings/backends/select.js'
import { ERRORS } from '../../../src/service/features.js'
import { Metrics, metricsText } from '../../../src/service/metrics/metrics.js'
import { watchBackend, watchNode } from '../../../src/service/metrics/watched.js'
import { MEDIA_TYPES } from '../../decode.js'
import { embed, listen, post, type TestService, testService } from '../../helper.js'

let service: TestService
beforeEach(async () => {
  service = await testService()
})
afterEach(() => service.close())

/** `name{label="x"}` → its value now. */
async function samples(): Promise<Map<string, number>> {
  const { body } = await service.app.inject('/metrics')
  return read(body)
}

function read(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line): [string, number] => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

function requests(method: string, route: string, status: number, format: string): string {
  return `inlet_http_requests_total{method="${method}",route="${route}",status="${status}",format="${format}"}`
}

describe('/metrics', () => {
  test('has every counter from the start, at zero, and a duration once there was one', async () => {
    const found = await samples()
    for (const code of Object.keys(ERRORS)) expect(found.get(`inlet_errors_total{code="${code}"}`)).toBe(0)
    for (const format of ['json', 'safetensors', 'npy', 'raw']) {
      expect(found.get(requests('POST', '/v1/input-embeddings', 200, format))).toBe(0)
      expect(found.get(requests('GET', '/v1/models/:model/position-embeddings', 200, format))).toBe(0)
      expect(found.get(`inlet_response_bytes_total{format="${format}"}`)).toBe(0)
      const labels = `route="/v1/input-embeddings",format="${format}"`
      expect(found.get(`inlet_http_request_duration_seconds_count{${labels}}`)).toBeUndefined()
    }
    for (const [method, route, format] of [
      ['POST', '/v1/tokenize', 'json'],
      ['POST', '/v1/detokenize', 'json'],
      ['GET', '/v1/models', 'json'],
      ['GET', '/health/ready', 'json'],
      ['GET', '/metrics', 'text'],
    ]) {
      expect(found.get(requests(method, route, 200, format))).toBe(0)
    }
    expect(found.get('inlet_tokens_total')).toBe(0)
    expect(found.get('inlet_windows_total')).toBe(0)
  })

  test('is text for a caller who takes JSON alone too', async () => {
    const { statusCode, headers } = await service.app.inject({
      url: '/metrics',
      headers: { accept: 'application/json' },
    })
    expect([statusCode, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain;/)])
  })

  test('is Prometheus’ text', async () => {
    const answer = await service.app.inject({
      url: '/metrics',
      headers: { accept: 'text/plain;version=0.0.4;q=0.3' },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    for (const line of answer.body.split('\n')) {
      expect(line).toMatch(/^$|^# (HELP|TYPE) \w+ .+|^\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [-+\d.e]+$/)
    }
  })

  test.each(Object.entries(MEDIA_TYPES))('counts an answer as %s', async (format, accept) => {
    const body = { text: 'one two three four five six', context_length: 2, outputs: ['input_embeddings'] }
    const { body: bytes } = await embed(service, body, { accept })
    const found = await samples()
    expect(found.get(requests('POST', '/v1/input-embeddings', 200, format))).toBe(1)
    expect(found.get('inlet_tokens_total')).toBe(6)
    expect(found.get('inlet_windows_total')).toBe(2)
    expect(found.get(`inlet_response_bytes_total{format="${format}"}`)).toBe(bytes.length)
    const labels = `route="/v1/input-embeddings",format="${format}"`
    expect(found.get(`inlet_http_request_duration_seconds_count{${labels}}`)).toBe(1)
  })

  test('counts refused requests by code', async () => {
    await embed(service, { text: 'a', stride: 4 })
    await service.app.inject('/nope')
    await service.app.inject({ method: 'DELETE', url: '/v1/models' })
    await service.app.inject('/v1/models/%zz')
    const found = await samples()
    expect(found.get('inlet_errors_total{code="invalid_request"}')).toBe(2)
    expect(found.get('inlet_errors_total{code="not_found"}')).toBe(1)
    expect(found.get('inlet_errors_total{code="method_not_allowed"}')).toBe(1)
    expect(found.get(requests('POST', '/v1/input-embeddings', 400, 'json'))).toBe(1)
    expect(found.get(requests('GET', 'none', 404, 'json'))).toBe(1)
    expect(found.get(requests('DELETE', '/v1/models', 405, 'json'))).toBe(1)
    expect(found.get(requests('GET', 'none', 400, 'json'))).toBe(1)
  })

  test('counts an unknown method as `other`', async () => {
    await service.app.inject({ method: 'PROPFIND', url: '/v1/models' })
    await service.app.inject({ method: 'DELETE', url: '/v1/models' })
    const found = await samples()
    expect(found.get(requests('other', '/v1/models', 405, 'json'))).toBe(1)
    expect(found.get(requests('DELETE', '/v1/models', 405, 'json'))).toBe(1)
    expect([...found.keys()].join()).not.toContain('PROPFIND')
  })

  test('counts bytes that are not HTTP', async () => {
    const socket = connect(await listen(service), '127.0.0.1')
    let answer = ''
    socket.on('data', (bytes) => {
      answer += bytes
    })
    socket.write('GET / HTTP/1.1\r\nno colon here\r\n\r\n')
    await new Promise((resolve) => socket.once('close', resolve))
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect((await samples()).get('inlet_errors_total{code="invalid_request"}')).toBe(1)
  })

  test('has no label that a caller chose', async () => {
    for (const call of [
      { url: '/evil-path', headers: { accept: 'evil/accept' } },
      { url: '/v1/models/evil-model' },
      { url: '/v1/models?evil-query=1', headers: { 'x-request-id': 'evil-id' } },
      { method: 'POST' as const, url: '/v1/input-embeddings', headers: { 'content-type': 'evil/type' } },
      { url: '/v1/models/default/position-embeddings?position_embedding=evil-scheme&context_length=1' },
    ]) {
      await service.app.inject(call)
    }
    expect((await service.app.inject('/metrics')).body).not.toContain('evil')
  })

  test('counts requests and tokens by model, those that there are', async () => {
    const before = await samples()
    const counted = (found: Map<string, number>, what: string) =>
      found.get(`inlet_model_${what}_total{model="default"}`) ?? 0
    await embed(service, { input_ids: [1, 2, 3], outputs: ['input_ids'] })
    await embed(service, { model: 'none', input_ids: [1] })
    await post(service, '/v1/tokenize', { text: 'one two' })
    await post(service, '/v1/detokenize', { input_ids: [1, 2, 3, 4] })
    await post(service, '/v1/completions/render', { prompt: 'one' })
    await post(service, '/v1/tokenize', { text: 'one two', encoding: 'gpt2' })
    const after = await samples()
    expect(counted(after, 'requests') - counted(before, 'requests')).toBe(4)
    expect(counted(after, 'tokens') - counted(before, 'tokens')).toBe(3 + 2 + 4 + 1)
    expect([...after.keys()].filter((name) => name.includes('model="none"'))).toEqual([])
  })

  test('shows tables, tensors and the backend', async () => {
    const found = await samples()
    expect(found.get('inlet_table_bytes{model="default"}')).toBe(service.model.tableBytes)
    expect(found.get('inlet_tensors')).toBeGreaterThanOrEqual(2)
    const { name, version } = service.models.backend as SelectedBackend
    expect(found.get(`inlet_backend_info{backend="${name}",version="${version}"}`)).toBe(1)
  })
})

test('Node’s own metrics are there once they are asked for', async () => {
  const metrics = new Metrics()
  watchNode(metrics.registry)
  const names = read(await metrics.registry.metrics()).keys()
  expect([...names]).toEqual(
    expect.arrayContaining([
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'process_cpu_user_seconds_total',
    ]),
  )
})

test('the values of threads add up, except those that threads share', async () => {
  const { model, models } = service
  const threads = [1, 2].map((requests) => {
    const metrics = new Metrics()
    metrics.watchModels(models)
    watchBackend(metrics.registry, models)
    watchNode(metrics.registry)
    metrics.declareRoute('GET', '/v1/models', ['json'])
    for (let i = 0; i < requests; i++) {
      metrics.count({
        method: 'GET',
        route: '/v1/models',
        status: 200,
        format: 'json',
        seconds: 0.002,
        bytes: 10,
        tokens: 3,
        windows: 1,
      })
    }
    return metrics
  })
  const values = structuredClone(await Promise.all(threads.map((metrics) => metrics.values())))
  const found = read(await metricsText(values))
  expect(found.get(requests('GET', '/v1/models', 200, 'json'))).toBe(3)
  expect(found.get('inlet_tokens_total')).toBe(9)
  expect(found.get('inlet_response_bytes_total{format="json"}')).toBe(30)
  const duration = 'inlet_http_request_duration_seconds'
  expect(found.get(`${duration}_count{route="/v1/models",format="json"}`)).toBe(3)
  expect(found.get(`${duration}_bucket{le="0.0025",route="/v1/models",format="json"}`)).toBe(3)
  expect(found.get('inlet_table_bytes{model="default"}')).toBe(model.tableBytes)
  const { name, version } = models.backend as SelectedBackend
  expect(found.get(`inlet_backend_info{backend="${name}",version="${version}"}`)).toBe(1)
  const memory = found.get('process_resident_memory_bytes')!
  expect(memory).toBeLessThan(process.memoryUsage.rss() * 1.5)
})

test('the delay of the slowest thread is the delay of all', async () => {
  const metrics = new Metrics()
  watchNode(metrics.registry)
  const delayed = async (lag: number) => {
    const values = structuredClone(await metrics.values()) as { name?: string; values: { value: number }[] }[]
    for (const { name, values: each } of values) if (name?.includes('eventloop_lag')) each[0].value = lag
    return values
  }
  const found = read(await metricsText([await delayed(2), await delayed(4)]))
  expect(found.get('nodejs_eventloop_lag_seconds')).toBe(4)
  expect(found.get('nodejs_eventloop_lag_p99_seconds')).toBe(4)
})
