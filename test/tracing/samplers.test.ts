import { ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { RateLimiter } from '../../src/tracing/rate-limiter.js'
import { RateLimitingSampler, samplerOf } from '../../src/tracing/samplers.js'
import type { TracingConfig } from '../../src/tracing/variables.js'

const { NOT_RECORD, RECORD_AND_SAMPLED } = SamplingDecision
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPANS_OF_A_REQUEST = 6

/** What a rule decides of a span below `parent`. */
function decisionOf(sampler: Sampler, parent?: Partial<SpanContext>): SamplingDecision {
  const own = { traceId: TRACE_ID, spanId: '00f067aa0ba902b7', traceFlags: TraceFlags.SAMPLED, ...parent }
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, own)
  return sampler.shouldSample(context, TRACE_ID, 'a', SpanKind.SERVER, {}, []).decision
}

const ruleOf = (name: TracingConfig['OTEL_TRACES_SAMPLER'], ratio?: number) =>
  samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio } as TracingConfig)

test('a request that is taken holds places for its spans; its phases, and one that is not taken, hold none', () => {
  const limiter = new RateLimiter(2 * SPANS_OF_A_REQUEST)
  const sampler = new RateLimitingSampler(ruleOf('parentbased_always_on'), limiter)
  expect(decisionOf(sampler, { isRemote: true, traceFlags: TraceFlags.NONE })).toBe(NOT_RECORD)
  expect(decisionOf(sampler)).toBe(RECORD_AND_SAMPLED)
  for (let phase = 0; phase < 4; phase++) expect(decisionOf(sampler, {})).toBe(RECORD_AND_SAMPLED)
  expect(limiter.has()).toBe(true)
  expect(decisionOf(sampler, { isRemote: true })).toBe(RECORD_AND_SAMPLED)
  expect(limiter.has()).toBe(false)
})

test.each([
  [undefined, undefined, RECORD_AND_SAMPLED, RECORD_AND_SAMPLED, NOT_RECORD],
  ['always_on', undefined, RECORD_AND_SAMPLED, RECORD_AND_SAMPLED, RECORD_AND_SAMPLED],
  ['always_off', undefined, NOT_RECORD, NOT_RECORD, NOT_RECORD],
  ['traceidratio', 0, NOT_RECORD, NOT_RECORD, NOT_RECORD],
  ['traceidratio', undefined, RECORD_AND_SAMPLED, RECORD_AND_SAMPLED, RECORD_AND_SAMPLED],
  ['parentbased_always_on', undefined, RECORD_AND_SAMPLED, RECORD_AND_SAMPLED, NOT_RECORD],
  ['parentbased_always_off', undefined, NOT_RECORD, RECORD_AND_SAMPLED, NOT_RECORD],
  ['parentbased_traceidratio', 0, NOT_RECORD, RECORD_AND_SAMPLED, NOT_RECORD],
] as const)(
  '%s, %s: own requests, those of sampled and of unsampled traces',
  (name, ratio, own, sampled, unsampled) => {
    const rule = ruleOf(name, ratio)
    expect([
      decisionOf(rule),
      decisionOf(rule, { isRemote: true }),
      decisionOf(rule, { isRemote: true, traceFlags: TraceFlags.NONE }),
    ]).toEqual([own, sampled, unsampled])
  },
)
