import fc from 'fast-check'
import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { metricsText } from '../../src/metrics/all-threads.js'
import { RequestCounts } from '../../src/metrics/request-counts.js'
import { checkProperty } from '../property.js'

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const outcome = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('/v1/tokenize', '/v1/models/:model'),
  status: fc.constantFrom(200, 400),
  format: fc.constantFrom('json', 'raw'),
  seconds: fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 100, noNaN: true })),
  bytes: fc.nat(),
  tokens: fc.nat(),
  windows: fc.nat(),
})

/** The lines of a metrics text in the order of the alphabet. */
function lines(text: string): string[] {
  return text.split('\n').sort()
}

test('the counts of requests give the text of metrics of prom-client', () =>
  checkProperty(
    fc.asyncProperty(fc.array(outcome), async (outcomes) => {
      const counts = new RequestCounts()
      const registry = new Registry()
      const registers = [registry]
      const counter = (name: string, help: string, labelNames: string[]) =>
        new Counter({ name, help, labelNames, registers })
      const requests = counter(
        'inlet_http_requests_total',
        'Requests answered. Status 499: the client went away before.',
        ['method', 'route', 'status', 'format'],
      )
      const histogram = new Histogram({
        name: 'inlet_http_request_duration_seconds',
        help: 'Time from a request’s header to the last byte of its answer.',
        labelNames: ['route', 'format'],
        buckets: BUCKETS,
        registers,
      })
      const bytesOut = counter('inlet_response_bytes_total', 'Bytes of answers’ bodies.', ['format'])
      const allTokens = counter(
        'inlet_tokens_total',
        'Tokens of requests, also where they failed afterwards.',
        [],
      )
      const allWindows = counter('inlet_windows_total', 'Windows of the requests that were answered.', [])
      counts.declareRoute('GET', '/v1/models', ['json'])
      requests.inc({ method: 'GET', route: '/v1/models', status: '200', format: 'json' }, 0)
      bytesOut.inc({ format: 'json' }, 0)
      for (const each of outcomes) {
        counts.count(each)
        const { method, route, status, format, seconds, bytes, tokens, windows } = each
        requests.inc({ method, route, status: String(status), format })
        histogram.observe({ route, format }, seconds)
        bytesOut.inc({ format }, bytes)
        allTokens.inc(tokens)
        allWindows.inc(windows)
      }
      const own = await metricsText([counts.values()])
      expect(lines(own)).toEqual(lines(await metricsText([await registry.getMetricsAsJSON()])))
    }),
    200,
  ))
