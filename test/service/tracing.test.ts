import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonRequest } from '../raw-http.js'
import { Collector } from '../tracing/collector.js'
import { until } from '../until.js'
import { type ServerProcess, startServer } from './server-process.js'
import { wire } from './wire.js'

const SMALL = { EMBEDDING_DIM: '8', SHUTDOWN_SECONDS: '3600' }
const EMBED = '/v1/input-embeddings'
const BODY = { text: 'The quick brown fox jumps over the lazy dog.', context_length: 4 }
const PHASES = ['tokenize', 'window', 'embed', 'write']
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
async function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  server = startServer({
    ...SMALL,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
    THREADS: '1',
    ...env,
  })
  await server.allServe()
  return server
}

async function post(headers: Readonly<Record<string, string>> = {}, body: object = BODY): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${await server!.port()}${EMBED}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response
}

async function stop(): Promise<void> {
  server!.child.kill('SIGTERM')
  expect(await server!.exited).toBe(0)
}

/** What `/metrics` answers, as soon as it has a line. */
async function metricsWith(line: string): Promise<string> {
  for (;;) {
    const text = await (await server!.get('/metrics')).text()
    if (text.includes(`${line}\n`)) return text
  }
}

const linesOf = ({ output }: ServerProcess) =>
  output.log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('traces', () => {
  test('of every thread come whole: phases belong to their request, and lie in it one after the other', async () => {
    await start({ THREADS: '2' })
    const port = await server!.port()
    const logged = () => linesOf(server!).filter(({ msg, route }) => msg === 'request' && route === EMBED)
    let count = 0
    while (new Set(logged().map(({ thread }) => thread)).size < 2) {
      const wires = await Promise.all(Array.from({ length: 12 }, () => wire(port)))
      count += wires.length
      for (const each of wires) each.write(jsonRequest(EMBED, JSON.stringify(BODY)))
      for (const each of wires) expect((await each.answers(1))[0].status).toBe(200)
      for (const each of wires) each.socket.destroy()
      await until(() => logged().length === count)
    }
    expect(collector.spans).toEqual([])
    await stop()

    const requests = collector.requests()
    expect(requests).toHaveLength(count)
    expect(collector.spans).toHaveLength(count * 5)
    expect(new Set(requests.map(({ root }) => root.traceId)).size).toBe(count)
    for (const { root, phases } of requests) {
      expect(root.name).toBe(`POST ${EMBED}`)
      expect(phases.map(({ name, kind }) => [name, kind])).toEqual(PHASES.map((name) => [name, 1]))
      let last = root.start
      for (const phase of phases) {
        expect(phase.parentSpanId).toBe(root.spanId)
        expect(phase.start).toBeGreaterThanOrEqual(last)
        expect(phase.end).toBeGreaterThanOrEqual(phase.start)
        last = phase.end
      }
      expect(root.end).toBeGreaterThanOrEqual(last)
      expect(root.resource).toMatchObject({ 'service.name': 'inlet', 'telemetry.sdk.language': 'nodejs' })
    }
    expect(new Set(requests.map(({ root }) => Number(root.facts['thread.id'])))).toEqual(new Set([0, 1]))

    expect(
      logged()
        .map(({ traceId, spanId }) => [traceId, spanId])
        .sort(),
    ).toEqual(requests.map(({ root }) => [root.traceId, root.spanId]).sort())
  })

  test('have the attributes of HTTP’s conventions, and counts; probes make none', async () => {
    await start({
      OTEL_SERVICE_NAME: 'first-layer',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    await post({ accept: 'application/octet-stream' })
    await post({}, { text: '' })
    for (const path of ['/health/live', '/health/ready', '/metrics', '/v2/health/ready', '/nowhere/at-all'])
      await (await server!.get(path)).arrayBuffer()
    await stop()
    const [good, bad, absent, ...more] = collector.requests()
    expect(more).toEqual([])
    expect(good.root.facts).toEqual({
      'thread.id': 0,
      'http.request.method': 'POST',
      'http.route': EMBED,
      'url.path': EMBED,
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'http.response.status_code': 200,
      'http.response.body.size': 2 * 4 * 8 * 4,
      'inlet.model': 'default',
      'inlet.format': 'raw',
      'inlet.num_tokens': 10,
      'inlet.num_windows': 2,
    })
    expect(good.root.resource).toMatchObject({
      'service.name': 'first-layer',
      'deployment.environment.name': 'test',
    })
    expect(bad.root.facts).toMatchObject({ 'http.response.status_code': 400, 'inlet.code': 'empty_input' })
    expect(bad.phases).toEqual([])
    expect([absent.root.name, absent.root.facts['http.response.status_code']]).toEqual(['GET', 404])
    for (const { root } of [good, bad, absent]) expect(root.status.code ?? 0).toBe(0)
  })

  test('continue the caller’s, whose flags decide', async () => {
    await start()
    const taken = await post({ traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, tracestate: 'a=1' })
    const refused = await post({ traceparent: `00-${TRACE_ID.replace('4', '5')}-${PARENT_ID}-00` })
    const broken = await post({ traceparent: `00-${'0'.repeat(32)}-${PARENT_ID}-01` })
    await stop()
    const [own, other, ...more] = collector.requests()
    expect(more).toEqual([])
    expect([own.root.traceId, own.root.parentSpanId]).toEqual([TRACE_ID, PARENT_ID])
    expect(own.phases.map(({ name }) => name)).toEqual(PHASES)
    expect(taken.headers.get('traceresponse')).toBe(`00-${TRACE_ID}-${own.root.spanId}-01`)
    expect(refused.headers.get('traceresponse')).toMatch(
      /^00-5bf92f3577b34da6a3ce929d0e0e4736-[\da-f]{16}-00$/,
    )
    expect(other.root.parentSpanId ?? '').toBe('')
    expect(broken.headers.get('traceresponse')).toBe(`00-${other.root.traceId}-${other.root.spanId}-01`)
  })

  test('hold no text, id or key, of the request or of the collector', async () => {
    const [key, header, secret] = ['KEYKEYKEY', 'COLLECTORKEY', 'Rumpelstilzchen']
    await start({ API_KEYS: `alice:${key}`, OTEL_EXPORTER_OTLP_HEADERS: `api-key=${header}` })
    const authorization = `Bearer ${key}`
    await post({ authorization }, { text: `${secret} ${secret}`, context_length: 2 })
    await post({ authorization }, { text: secret, context_length: secret })
    await post({ authorization }, { input_ids: [31337, 31338], context_length: 2 })
    await post({ authorization: `Bearer ${secret}` })
    const path = `http://127.0.0.1:${await server!.port()}/v1/models/${secret}?text=${secret}`
    await (await fetch(path, { headers: { authorization, 'user-agent': secret } })).arrayBuffer()
    await (await fetch(`${path}/${secret}`, { headers: { authorization } })).arrayBuffer()
    await stop()
    expect(collector.requests()).toHaveLength(6)
    expect(collector.requests()[0].root.facts['inlet.caller']).toBe('alice')
    const sent = Buffer.concat(collector.bodies).toString()
    for (const each of [key, header, secret, '31337', '31338']) expect(sent).not.toContain(each)
    for (const each of [key, header]) expect(server!.output.log).not.toContain(each)
    expect(collector.heads[0]['api-key']).toBe(header)
  })

  test('go out while the service runs, as Protobuf where nothing else is asked for, and are counted', async () => {
    await start({ OTEL_EXPORTER_OTLP_PROTOCOL: '', OTEL_BSP_SCHEDULE_DELAY: '20' })
    await post({ traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` })
    const text = await metricsWith('inlet_trace_spans_total{result="exported"} 5')
    expect(collector.heads[0]['content-type']).toBe('application/x-protobuf')
    const sent = Buffer.concat(collector.bodies)
    expect(sent.includes(Buffer.from(TRACE_ID, 'hex'))).toBe(true)
    for (const name of [`POST ${EMBED}`, ...PHASES]) expect(sent.includes(name)).toBe(true)
    expect(text).toContain('inlet_trace_spans_total{result="failed"} 0')
    expect(text).toContain('inlet_traces_skipped_total 0')
  })
})

test('a share of 0 traces nothing but what a caller’s trace asks for', async () => {
  await start({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
  for (let i = 0; i < 5; i++) expect((await post()).headers.get('traceresponse')).toBeNull()
  await post({ traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` })
  await stop()
  expect(collector.requests().map(({ root }) => root.traceId)).toEqual([TRACE_ID])
})

test('where spans have no room requests are not traced, and there is room again when they are sent', async () => {
  await start({ OTEL_BSP_MAX_QUEUE_SIZE: '64', OTEL_BSP_SCHEDULE_DELAY: '500' })
  for (let round = 1; round <= 3; round++) {
    for (let i = 0; i < 8; i++) await post()
    await metricsWith(`inlet_trace_spans_total{result="exported"} ${round * 8 * 5}`)
  }
  expect(await metricsWith('inlet_traces_skipped_total 0')).toContain('{result="failed"} 0')
  await stop()
  await start({ OTEL_BSP_MAX_QUEUE_SIZE: '64' })
  for (let i = 0; i < 20; i++) expect((await post()).status).toBe(200)
  await metricsWith('inlet_traces_skipped_total 8')
  await stop()
  expect(collector.requests()).toHaveLength(3 * 8 + 12)
  expect(collector.spans).toHaveLength((3 * 8 + 12) * 5)
})

test('no request waits for a collector that refuses, nor does the end', async () => {
  collector.status = 400
  await start({ OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_BSP_MAX_QUEUE_SIZE: '64' })
  for (let i = 0; i < 40; i++) expect((await post()).status).toBe(200)
  await until(() => server!.output.log.includes('traces could not be sent'), 'the warning')
  const text = await (await server!.get('/metrics')).text()
  expect(text).toMatch(/inlet_trace_spans_total\{result="failed"\} [1-9]/)
  await stop()
})

test('the log has the first 500 characters of a collector’s refusal', async () => {
  const errorMessage = `they are too old ${'!'.repeat(2000)}`
  collector.answer = JSON.stringify({ partialSuccess: { rejectedSpans: '3', errorMessage } })
  await start()
  await post()
  await stop()
  const [{ reason }] = linesOf(server!).filter(({ msg }) => msg === 'traces')
  expect(reason).toContain('they are too old')
  expect(reason).toHaveLength(500)
})

test('a collector that is silent loses its traces, and the process ends with 0', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }) // nobody listens there
  await post()
  await stop()
  expect(server!.output.log).toContain('traces could not be sent')
})

describe('the SDK', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'inlet-loaded-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** The files of the service that its threads have loaded, as V8 tells at the end. */
  async function loaded(env: Readonly<Record<string, string>>): Promise<string[][]> {
    await start({ THREADS: '2', NODE_V8_COVERAGE: folder, ...env })
    await post()
    await stop()
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    return files
      .map((file) => (JSON.parse(file).result as { url: string }[]).map(({ url }) => url.split('/dist/')[1]))
      .filter((urls) => urls.includes('server.js') || urls.includes('worker.js'))
  }
  const SDK = 'chunk-open-telemetry.js'

  test.each([
    ['no variable asks', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_PROTOCOL: '' }],
    ['it is disabled', { OTEL_SDK_DISABLED: 'true' }],
    ['there is no exporter', { OTEL_TRACES_EXPORTER: 'none' }],
  ])('is not loaded where %s', async (_, env) => {
    const threads = await loaded(env)
    expect(threads).toHaveLength(2)
    for (const urls of threads) expect(urls).not.toContain(SDK)
    expect(collector.bodies).toEqual([])
  })

  test('is loaded in every thread where traces are asked for', async () => {
    const threads = await loaded({})
    expect(threads).toHaveLength(2)
    for (const urls of threads) expect(urls).toContain(SDK)
  })
})
