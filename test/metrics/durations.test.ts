import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { metricsText } from '../../src/metrics/all-threads.js'
import { Durations } from '../../src/metrics/durations.js'
import { checkProperty } from '../property.js'

const NAME = 'inlet_http_request_duration_seconds'
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const observation = fc.record({
  route: fc.constantFrom('/v1/tokenize', '/v1/models/:model'),
  format: fc.constantFrom('json', 'raw'),
  seconds: fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 100, noNaN: true })),
})

/** The lines of a metrics text in the order of the alphabet. */
function lines(text: string): string[] {
  return text.split('\n').sort()
}

test('durations give the text of a histogram of prom-client', () =>
  checkProperty(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const durations = new Durations()
      const registry = new Registry()
      const histogram = new Histogram({
        name: NAME,
        help: 'Time from a request’s header to the last byte of its answer.',
        labelNames: ['route', 'format'],
        buckets: BUCKETS,
        registers: [registry],
      })
      durations.declare('/v1/models', 'json')
      histogram.zero({ route: '/v1/models', format: 'json' })
      for (const { route, format, seconds } of observations) {
        durations.observe(route, format, seconds)
        histogram.observe({ route, format }, seconds)
      }
      const own = await metricsText([[durations.figures()]])
      expect(lines(own)).toEqual(lines(await metricsText([await registry.getMetricsAsJSON()])))
    }),
    200,
  ))
