// node check.mjs COLLECTOR PROTOCOL: requests with and without a caller's trace, and what the collector got of them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, startService } from '../../bench/harness/service.mjs'

const [collector, protocol] = process.argv.slice(2)
const REQUESTS = 20
const PHASES = ['tokenize', 'window', 'embed', 'write']
const PATIENCE_MS = 20_000

const port = await freePort()
const { child, printed } = startCollector()
const service = await startService({
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: protocol },
})
const asked = []
for (let i = 0; i < REQUESTS; i++) asked.push(await ask(i))
await service.stop() // what waits is sent first
const until = Date.now() + PATIENCE_MS
while (spansOf(printed()).length < REQUESTS * 5 && Date.now() < until) await delay(50)
child.kill('SIGTERM')
await once(child, 'exit')
const spans = spansOf(printed())

for (const { traceId, parentId } of asked) {
  const own = spans.filter((span) => span.traceId === traceId)
  const root = own.find(({ kind }) => kind === 'Server')
  assert.equal(root?.name, 'POST /v1/input-embeddings')
  assert.equal(root.parentId, parentId)
  const phases = own.filter((span) => span !== root)
  assert.deepEqual(
    phases.map(({ name }) => name),
    PHASES,
  )
  let last = root.start
  for (const phase of phases) {
    assert.equal(phase.parentId, root.id)
    assert.ok(phase.start >= last && phase.end >= phase.start)
    last = phase.end
  }
  assert.ok(root.end >= last)
}
assert.equal(spans.length, REQUESTS * 5)
console.log(`${protocol}: the collector has ${REQUESTS} whole traces, ${spans.length} spans`)

/** Every other request continues a trace of its caller's. */
async function ask(i) {
  const given = { traceId: (i + 1).toString(16).padStart(32, 'a'), parentId: 'b'.repeat(16) }
  const headers = { 'content-type': 'application/json' }
  if (i % 2 === 0) headers.traceparent = `00-${given.traceId}-${given.parentId}-01`
  const answer = await fetch(`${service.url}/v1/input-embeddings`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ text: 'The quick brown fox', context_length: 2 }),
  })
  assert.equal(answer.status, 200)
  await answer.arrayBuffer()
  const [, traceId] = answer.headers.get('traceresponse').split('-')
  return i % 2 === 0 ? given : { traceId, parentId: '' }
}

function startCollector() {
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { debug: { verbosity: 'detailed', use_internal_logger: false } },
    service: {
      telemetry: { metrics: { level: 'none' }, logs: { level: 'error' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['debug'] } },
    },
  }
  const args = ['--config', `yaml:${JSON.stringify(config)}`]
  const started = spawn(collector, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('exit', () => started.kill('SIGKILL'))
  let text = ''
  started.stdout.on('data', (chunk) => {
    text += chunk
  })
  return { child: started, printed: () => text }
}

/** The spans that the collector printed: `Trace ID : …`, `Parent ID : …`, in order of their starts. */
function spansOf(text) {
  const parts = text.split(/^Span #\d+$/m).slice(1)
  const spans = parts.map((part) => {
    const field = (name) => new RegExp(`^ {4}${name} *: ?(.*)$`, 'm').exec(part)?.[1].trim()
    return {
      ...{ traceId: field('Trace ID'), parentId: field('Parent ID'), id: field('ID') },
      ...{ name: field('Name'), kind: field('Kind'), start: field('Start time'), end: field('End time') },
    }
  })
  return spans.sort((a, b) => (a.start < b.start ? -1 : 1))
}
