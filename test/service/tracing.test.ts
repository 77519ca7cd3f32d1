import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.js'
import { Collector } from './collector.js'
import { type ServerProcess, startServer } from './server-process.js'

const EMBED = '/v1/input-embeddings'
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'

let collector: Collector
let server: ServerProcess | undefined
beforeEach(async () => {
  collector = await new Collector().open()
})
afterEach(async () => {
  server?.kill()
  await server?.exited
  server = undefined
  await collector.close()
})

/** Starts the service with a collector; spans are sent when it stops, unless `env` says otherwise. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  server = startServer({
    ...{ EMBEDDING_DIM: '8', SHUTDOWN_SECONDS: '3600', THREADS: '1' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '3600000' },
    ...env,
  })
  await server.allServe()
}

async function post(headers: Readonly<Record<string, string>> = {}, body: object = { text: 'A fox' }) {
  const response = await fetch(`http://127.0.0.1:${await server!.port()}${EMBED}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response.status
}

async function stop(): Promise<void> {
  server!.child.kill('SIGTERM')
  expect(await server!.exited).toBe(0)
}

test('a request is a span below the caller’s, with counts and no text; probes are none', async () => {
  const [key, secret] = ['KEYKEYKEY', 'Rumpelstilzchen']
  const authorization = `Bearer ${key}`
  await start({
    ...{ API_KEYS: `alice:${key}`, OTEL_SERVICE_NAME: 'first-layer' },
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=COLLECTORKEY',
  })
  const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`
  expect(await post({ authorization, traceparent }, { text: secret })).toBe(200)
  expect(await post({ authorization }, { text: '' })).toBe(400)
  expect(await post({ authorization, traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` })).toBe(200)
  for (const path of ['/health/live', '/metrics', '/v2/health/ready', `/nowhere/${secret}`])
    await (await server!.get(path)).arrayBuffer()
  await stop()

  const [good, bad, absent, ...more] = collector.spans
  expect(more).toEqual([])
  expect(good).toMatchObject({
    ...{ traceId: TRACE_ID, parentSpanId: PARENT_ID, name: `POST ${EMBED}`, kind: 2 },
    facts: {
      ...{ 'http.request.method': 'POST', 'http.route': EMBED, 'http.response.status_code': 200 },
      ...{ 'inlet.caller': 'alice', 'inlet.model': 'default', 'inlet.num_tokens': expect.any(Number) },
    },
    resource: { 'service.name': 'first-layer', 'telemetry.sdk.language': 'nodejs' },
  })
  expect(bad.facts).toMatchObject({ 'http.response.status_code': 400, 'error.type': 'empty_input' })
  expect([absent.name, absent.facts['http.response.status_code']]).toEqual(['request', 404])
  const lines = server!.output.log.split('\n').filter((line) => line.includes('"msg":"request"'))
  expect(JSON.parse(lines[0])).toMatchObject({ traceId: TRACE_ID, spanId: good.spanId })
  for (const each of [key, secret, 'COLLECTORKEY']) expect(collector.bodies.join()).not.toContain(each)
  expect(collector.heads[0]['api-key']).toBe('COLLECTORKEY')
})

test.each(['2', '4'])(
  'a collector that is gone does not hurt the end of %s threads: long answers are whole',
  async (THREADS) => {
    const gone = collector.url
    await collector.close()
    server = startServer({ ...{ THREADS, SHUTDOWN_SECONDS: '3600' }, OTEL_EXPORTER_OTLP_ENDPOINT: gone })
    await server.allServe()
    const port = await server.port()
    const large = { input_ids: [1], context_length: 32 * 1024, tail: 'pad', position_embedding: 'none' }
    const accept = 'application/octet-stream'
    const call = { host: '127.0.0.1', port, method: 'POST', path: EMBED, agent: false }
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const asked = request({ ...call, headers: { accept, 'content-type': 'application/json' } })
        const [answer] = await once(asked.end(JSON.stringify(large)), 'response')
        return answer as IncomingMessage
      }),
    )
    server.child.kill('SIGTERM')
    await until(() => server!.output.log.includes('the listener closes'))
    for (const answer of answers) {
      let bytes = 0
      for await (const chunk of answer) bytes += chunk.length
      expect([answer.complete, bytes]).toEqual([true, 4 * 256 * large.context_length])
    }
    expect(await server.exited).toBe(0)
    await collector.open()
  },
)

test('the SDK reads its own variables: a share of 0 keeps only what a caller’s trace asks for', async () => {
  await start({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
  await post()
  await post({ traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` })
  await stop()
  expect(collector.spans.map(({ traceId }) => traceId)).toEqual([TRACE_ID])
})

test('no request waits for a collector that refuses, nor does the end; the log tells', async () => {
  collector.status = 400
  await start({ OTEL_BSP_SCHEDULE_DELAY: '20' })
  expect(await post()).toBe(200)
  await until(() => server!.output.log.includes('"msg":"traces"'), 'the warning')
  expect(await post()).toBe(200)
  await stop()
})
